#!/usr/bin/env bash
# packages.sh: packages in build/packages: a .deb and an .rpm for the nodes of a cluster, a wheel for all else, and
# from it a .deb and an .rpm for the repository's host.
#
#   tools/packages.sh [deb|rpm|wheel|site]...      default: all; site needs the wheel
#
# .deb and .rpm hold the build in build/: its MPI adapters are those that JOSTLE_MPICC named, and they need the
# glibc and the libraries of this machine or newer ones. The wheel has a build of its own, which needs no glibc
# newer than 2.28; it has the adapters of the MPIs of this machine, and no agent.
set -euo pipefail
cd "$(dirname "$0")/.."

newest=2.28
say() { printf '%s\n' "$*" >&2; }

# pack GENERATOR: what CPack says is shown only if it fails.
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
    local inside needs
    rm -f build/packages/*.whl
    .venv/bin/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
        --config-settings cmake.define.JOSTLE_PORTABLE=ON \
        --config-settings build-dir=build/portable-wheel \
        --config-settings install.components=native --config-settings install.strip=true \
        --config-settings "wheel.tags=py3-none-manylinux_${newest/./_}_$(uname -m)" \
        --wheel-dir build/packages .
    inside=$(mktemp -d)
    .venv/bin/python -m zipfile -e build/packages/*.whl "$inside"
    # The scripts among them are nothing to objdump.
    needs=$({ find "$inside/jostle/_native" -type f -exec objdump -T {} + 2>/dev/null || true; } |
        grep -oE 'GLIBC_2\.[0-9]+' | sort -uV | tail -n 1)
    rm -rf "$inside"
    if [ "$(printf '%s\n' "GLIBC_$newest" "$needs" | sort -V | tail -n 1)" != "GLIBC_$newest" ]; then
        say "The wheel needs $needs; it must do with GLIBC_$newest."
        rm -f build/packages/*.whl
        exit 1
    fi
}

site() {
    rm -f build/packages/jostle-site*
    tools/package_site.sh build/packages/jostle-*.whl build/packages
}

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
