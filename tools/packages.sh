#!/usr/bin/env bash
# packages.sh: packages for the nodes of a cluster, in build/packages: a .deb, and an .rpm where rpmbuild is.
#
# They hold the build in build/: its MPI adapters are those that JOSTLE_MPICC named, and they need the glibc of
# this machine or a newer one.
set -euo pipefail
cd "$(dirname "$0")/.."

rm -rf build/packages
say() { printf '%s\n' "$*" >&2; }
pack() {
    (cd build && cpack -G "$1" >"package-$1.log" 2>&1) || {
        cat "build/package-$1.log" >&2
        exit 1
    }
}

if command -v dpkg-shlibdeps >/dev/null; then
    pack DEB
else
    say "No .deb: dpkg-shlibdeps is missing (apt-get install dpkg-dev)."
fi
if command -v rpmbuild >/dev/null; then
    pack RPM
else
    say "No .rpm: rpmbuild is missing (apt-get install rpm, or dnf install rpm-build)."
fi
rm -rf build/packages/_CPack_Packages
ls build/packages/*.deb build/packages/*.rpm 2>/dev/null
