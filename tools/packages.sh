#!/usr/bin/env bash
# packages.sh: packages in build/packages: a .deb and an .rpm for the nodes of a cluster, a wheel for everything else,
# and from it a .deb and an .rpm for the repository's host.
#
#   tools/packages.sh [deb|rpm|wheel|site]...      default: all; site needs the wheel
#   tools/packages.sh symbols FOLDER               checks that the build there needs no newer glibc than the wheel may
#
# .deb and .rpm contain the build in build/: its MPI adapters are those that JOSTLE_MPICC named, and they need the
# glibc and the libraries of this machine or newer ones. The wheel has a build of its own, which needs no glibc
# newer than 2.28; it has the adapters of the MPIs of this machine.
set -euo pipefail
cd "$(dirname "$0")/.."

newest=2.28
say() { printf '%s\n' "$*" >&2; }

# pack GENERATOR: CPack's output is shown only if it fails.
pack() {
    (cd build && cpack -G "$1" >"package-$1.log" 2>&1) || {
        cat "build/package-$1.log" >&2
        exit 1
    }
}

deb() {
    command -v dpkg-shlibdeps >/dev/null || {
        say "No .deb: dpkg-shlibdeps is missing (apt-get install dpkg-dev)."
        return
    }
    rm -f build/packages/jostle-node*.deb
    pack DEB
}

rpm() {
    command -v rpmbuild >/dev/null || {
        say "No .rpm: rpmbuild is missing (apt-get install rpm, or dnf install rpm-build)."
        return
    }
    rm -f build/packages/jostle-node*.rpm
    pack RPM
}

wheel() {
    local inside
    rm -f build/packages/*.whl
    .venv/bin/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
        --config-settings cmake.define.JOSTLE_PORTABLE=ON \
        --config-settings build-dir=build/portable-wheel \
        --config-settings install.components=native --config-settings install.strip=true \
        --config-settings "wheel.tags=py3-none-manylinux_${newest/./_}_$(uname -m)" \
        --wheel-dir build/packages .
    inside=$(mktemp -d)
    .venv/bin/python -m zipfile -e build/packages/*.whl "$inside"
    symbols "$inside/jostle/_native" || {
        rm -rf "$inside" build/packages/*.whl
        exit 1
    }
    rm -rf "$inside"
}

symbols() {
    local newer
    newer=$(newer_symbols "$1")
    [ -n "$newer" ] || return 0
    say "The wheel must do with glibc $newest, but these ask for newer symbols:"
    say "$newer"
    say "  fix: name their old versions in runtime/portable/old_symbols.h or old_threads.h"
    return 1
}

# newer_symbols FOLDER: files in it, and the symbols that they need of a glibc newer than the oldest that we support.
newer_symbols() {
    local file version symbol
    find "$1" -type f -printf '%P\n' | sort | while read -r file; do
        # objdump cannot read a script.
        { objdump -T "$1/$file" 2>/dev/null || true; } |
            sed -nE 's/.*\*UND\*.*\(GLIBC_([0-9.]+)\) *([^ ]+)$/\1 \2/p' | sort -u |
            while read -r version symbol; do
                [ "$(printf '%s\n' "$newest" "$version" | sort -V | tail -n 1)" = "$newest" ] ||
                    echo "  $file: $symbol of glibc $version"
            done
    done
}

site() {
    rm -f build/packages/jostle-site*
    tools/package_site.sh build/packages/jostle-*.whl build/packages
}

if [ "${1:-}" = symbols ]; then
    symbols "$2"
    exit
fi
[ $# -gt 0 ] || set -- deb rpm wheel site
for kind in "$@"; do
    case $kind in
    deb | rpm | wheel | site) "$kind" ;;
    *)
        say "packages.sh: $kind is none of deb, rpm, wheel, site"
        exit 2
        ;;
    esac
done
rm -rf build/packages/_CPack_Packages
find build/packages -type f
