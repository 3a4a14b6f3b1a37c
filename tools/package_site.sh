#!/usr/bin/env bash
# package_site.sh: the package of the repository's host, .deb and .rpm, from a wheel. tools/packages.sh calls it.
#
#   tools/package_site.sh WHEEL FOLDER [deb|rpm]...     default: both
#
# It has the command in /opt/jostle/venv with the versions of requirements.lock, each file checked against its
# hash there. The Python is the system's, at the version of this machine: packages depend on that.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '%s\n' "$*" >&2; }

# The distribution's Python, at the path that the host will have.
find_python() {
    local name
    for name in /usr/bin/python3 $(printf '/usr/bin/python3.%s\n' 15 14 13 12 11); do
        "$name" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
        "$name" -c 'import sys; print("/usr/bin/python%d.%d" % sys.version_info[:2])'
        return
    done
    return 1
}

# install_into VENV WORD...: by the project's own pip, which is not packaged.
install_into() {
    .venv/bin/pip --python "$1/bin/python3" install --quiet --disable-pip-version-check --no-deps --no-compile \
        --no-warn-script-location "${@:2}"
}

# fill ROOT: installs the wheel and what it needs into ROOT/opt/jostle/venv. Nothing there contains ROOT.
fill() {
    local root=$1 venv=$1/opt/jostle/venv name
    "$python" -m venv --without-pip "$venv"
    # The bill of materials is what requirements.lock pins for the wheel, without the project's own tools.
    .venv/bin/python - >"$work/wanted" <<'END'
import json
for part in json.load(open("sbom.cdx.json"))["components"]:
    if part["purl"].startswith("pkg:pypi/"):
        hashes = [f"--hash=sha256:{one['content']}" for one in part["hashes"]]
        print(f"{part['name']}=={part['version']}", *hashes)
END
    install_into "$venv" --only-binary :all: --require-hashes -r "$work/wanted"
    # By its name: pip records the path of a wheel that it was given as a file.
    install_into "$venv" --no-index --find-links "$(dirname "$wheel")" "jostle==$version"
    # Of the programs only the command, and of its lists none.
    find "$venv/bin" -type f ! -name jostle -delete
    find "$venv" -name RECORD -exec sed -i '\|^\.\./\.\./\.\./bin/|d' {} +
    sed -i "1s|.*|#!/opt/jostle/venv/bin/python3|" "$venv/bin/jostle"
    sed -i '/^command = /d' "$venv/pyvenv.cfg"
    rm -rf "$venv/include" "$venv/share"
    # The service's user could not write these. They count as they are: no file's time matters.
    "$python" -m compileall -q -j 0 -s "$root" -p / --invalidation-mode unchecked-hash "$venv/lib"

    mkdir -p "$root/usr/bin" "$root/usr/lib/systemd/system" "$root/usr/lib/sysusers.d" \
        "$root/usr/lib/tmpfiles.d" "$root/etc/jostle" "$root/opt/jostle/share/jostle"
    ln -s /opt/jostle/venv/bin/jostle "$root/usr/bin/jostle"
    for name in receive serve site-digest; do
        install -m 0644 "integrations/systemd/jostle-$name.service" "$root/usr/lib/systemd/system/"
    done
    install -m 0644 packaging/node/sysusers.conf "$root/usr/lib/sysusers.d/jostle-site.conf"
    install -m 0644 packaging/site/tmpfiles.conf "$root/usr/lib/tmpfiles.d/jostle-site.conf"
    install -m 0644 packaging/site/receive.toml packaging/site/site.conf "$root/etc/jostle/"
    for name in nginx grafana; do
        install -D -m 0644 -t "$root/opt/jostle/share/jostle/$name" "integrations/$name"/*.*
    done
    install -D -m 0644 -t "$root/opt/jostle/share/doc/jostle-site" LICENSE sbom.cdx.json
    chmod -R u+rwX,go=rX "$root"
    if grep -rlF "$root" "$root" | grep .; then
        say "These files name the folder of the build, which no host has."
        return 1
    fi
}

wheel=$(realpath "$1")
version=${wheel##*/jostle-}
version=${version%%-*}
folder=$(realpath -m "$2")
python=$(find_python) || {
    say "No package of the host: its Python must be the distribution's, 3.11 or newer, in /usr/bin (with venv)."
    exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fill "$work/root"
mkdir -p "$folder"
[ $# -gt 2 ] || set -- "$1" "$2" deb rpm
for kind in "${@:3}"; do
    case $kind in
    deb) tool=dpkg-deb ;;
    rpm) tool=rpmbuild ;;
    esac
    command -v "$tool" >/dev/null || {
        say "No jostle-site as .$kind: $tool is missing."
        continue
    }
    JOSTLE_ROOT=$work/root JOSTLE_PYTHON=$python JOSTLE_VERSION=$version \
        cpack --config packaging/site/cpack.cmake -G "${kind^^}" -B "$work/packages" >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        exit 1
    }
    mv "$work/packages"/jostle-site*."$kind" "$folder"
done
