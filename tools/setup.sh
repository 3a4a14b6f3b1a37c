#!/usr/bin/env bash
# setup.sh: everything between a fresh clone and a working .venv/bin/jostle.
#
# System packages (apt, when root on Debian or Ubuntu; otherwise it prints the line to run),
# .venv with the versions of requirements.lock, the C parts in build/native, the jostle command, and
# the web front end.
# Idempotent, and quick when nothing changed.
set -euo pipefail
cd "$(dirname "$0")/.."

# command that must exist : Debian package that has it
needed=(gcc:build-essential cmake:cmake ninja:ninja-build)
# The shipper of jostle-agent and the plugin for Slurm are built where their headers are.
agent_files=(pkgconfig/libcurl.pc:libcurl4-openssl-dev pkgconfig/libzstd.pc:libzstd-dev
    pkgconfig/munge.pc:libmunge-dev pkgconfig/libcrypto.pc:libssl-dev libslurm.so:libslurm-dev)
# An adapter is built for each MPI that is there, and the tests run programs of both: Debian keeps
# them side by side, as mpicc.openmpi and mpicc.mpich. Adapters for others are built with
# cmake -B build -DJOSTLE_MPICC="COMMAND;COMMAND..."
# The command mpicc.openmpi is in another package than what it needs: openmpi-bin.
mpis=(mpirun.openmpi:openmpi-bin mpicc.mpich:libmpich-dev mpirun.mpich:mpich gfortran:gfortran)
mpi_files=(openmpi/include/mpi.h:libopenmpi-dev)
# `jostle lab`: its tests skip what is missing. Of GlusterFS only the client's package is needed.
# Slurm's services do not start without a configuration; a munged that its package starts is idle:
# a lab has its own.
labs=(ip:iproute2 mkfs.ext4:e2fsprogs sshfs:sshfs fusermount3:fuse3 glusterfs:glusterfs-client
    ceph-mon:ceph-mon ceph-osd:ceph-osd ceph-mds:ceph-mds ceph-fuse:ceph-fuse ceph:ceph-common
    munged:munge slurmctld:slurmctld slurmd:slurmd srun:slurm-client)
lab_files=(openssh/sftp-server:openssh-sftp-server pmix2/lib/libpmix.so:libpmix-dev)
# The readers of fabrics are tested on the output of the real tools for simulated fabrics.
fabrics=(ibsim:ibsim-utils opensm:opensm dump_lfts:infiniband-diags)
# `jostle import prometheus` is tested with a real one; its packages' services are not needed.
collectors=(prometheus:prometheus prometheus-node-exporter:prometheus-node-exporter)
# Training jobs are tested with PyTorch and gloo.
trainings=(python3/dist-packages/torch/__init__.py:python3-torch)
# the pages of `jostle serve` are tested in a real browser
browsers=(chromium:chromium)
# only `make check` needs these
wanted=(clang:clang clang-tidy:clang-tidy clang-format:clang-format strace:strace valgrind:valgrind
    ccache:ccache javac:default-jdk-headless nginx:nginx-light rpmbuild:rpm musl-gcc:musl-tools)

say() { printf '%s\n' "$*" >&2; }

missing_of() {
    local pair
    for pair in "$@"; do
        PATH=$PATH:/usr/sbin:/sbin command -v "${pair%%:*}" >/dev/null || printf '%s ' "${pair#*:}"
    done
}

# The same for files below /usr/lib, or its folder for this kind of machine: there may be others.
missing_files_of() {
    local pair kind
    kind=$(gcc -print-multiarch 2>/dev/null) || true
    for pair in "$@"; do
        [ -e "/usr/lib/${pair%%:*}" ] || [ -e "/usr/lib/${kind:-$(uname -m)-linux-gnu}/${pair%%:*}" ] ||
            printf '%s ' "${pair#*:}"
    done
}

# A Python of at least 3.11 that can make virtual environments; prefers one that is on PATH.
find_python() {
    local name
    for name in python3 python3.14 python3.13 python3.12 python3.11 /usr/bin/python3; do
        if "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
            2>/dev/null; then
            command -v "$name"
            return
        fi
    done
}

apt_install() {
    DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "$@" >/dev/null
}

# When one package is not available: all required ones, and of the others the available ones.
install_apart() {
    local package
    # shellcheck disable=SC2086  # word list
    [ -z "$1" ] || apt_install $1
    for package in $2; do
        apt_install "$package" 2>/dev/null || say "Note: there is no package $package here."
    done
}

install_packages() {
    local must may
    must=$(missing_of "${needed[@]}")
    [ -n "$(find_python)" ] || must+="python3-venv "
    may=$(missing_of "${wanted[@]}" "${mpis[@]}" "${labs[@]}" "${fabrics[@]}" "${collectors[@]}" \
        "${browsers[@]}")
    may+=$(missing_files_of "${mpi_files[@]}" "${lab_files[@]}" "${agent_files[@]}" "${trainings[@]}")
    [ -e /usr/include/cmocka.h ] || may+="libcmocka-dev "
    if ! ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-"$(uname -m)".a >/dev/null 2>&1; then
        may+="libclang-rt-dev "
    fi
    may=$(echo $may)
    [ -n "$must$may" ] || return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        say "Installing: $must$may"
        DEBIAN_FRONTEND=noninteractive apt-get update -q >/dev/null
        # shellcheck disable=SC2086  # word lists
        apt_install $must $may || install_apart "$must" "$may"
        rm -f build/build.ninja # so that CMake looks again for what is there now
    elif [ -n "$must" ]; then
        say "jostle cannot be built yet: some system packages are missing. Run this, then again:"
        say "    sudo apt-get install $must$may"
        exit 1
    else
        say "Note: 'make check', profiles of MPI programs and 'jostle lab' also need:"
        say "    sudo apt-get install $may"
    fi
}

make_venv() {
    local stamp=.venv/.requirements.lock
    if ! .venv/bin/python -c '' 2>/dev/null; then
        say "Making .venv"
        "$(find_python)" -m venv --clear .venv
    fi
    if ! cmp -s requirements.lock "$stamp"; then
        say "Installing the Python packages of requirements.lock"
        .venv/bin/pip install --quiet --disable-pip-version-check \
            --require-hashes --only-binary :all: -r requirements.lock
        cp requirements.lock "$stamp"
    fi
    # The packages themselves: links to their folders, without a second build of the C parts.
    if ! cmp -s pyproject.toml .venv/.pyproject.toml; then
        .venv/bin/pip install --quiet --disable-pip-version-check --no-deps \
            --no-build-isolation --config-settings wheel.cmake=false -e .
        cp pyproject.toml .venv/.pyproject.toml
    fi
    if ! cmp -s lab/pyproject.toml .venv/.lab-pyproject.toml; then
        .venv/bin/pip install --quiet --disable-pip-version-check --no-deps \
            --no-build-isolation --config-settings wheel.cmake=false -e lab
        cp lab/pyproject.toml .venv/.lab-pyproject.toml
    fi
}

# Half a gigabyte, and only tests/spark needs it: without a reachable registry they are skipped.
install_spark() {
    local stamp=.venv/.spark-lock.txt
    cmp -s tools/supply/spark-lock.txt "$stamp" && return
    if .venv/bin/pip install --quiet --disable-pip-version-check --no-deps --no-compile \
        --require-hashes -r tools/supply/spark-lock.txt 2>build/spark.log; then
        cp tools/supply/spark-lock.txt "$stamp"
    else
        say "Note: Apache Spark was not installed (build/spark.log); tests/spark are skipped."
    fi
}

build_native() {
    . tools/ccache.sh
    # Continuous integration allows no warning: then `make check` need not compile it again for that.
    [ -f build/build.ninja ] || cmake --preset dev ${CI:+-DJOSTLE_WERROR=ON} >/dev/null
    cmake --build build -- -k 0 >build/last.log 2>&1 || {
        cat build/last.log >&2
        exit 1
    }
}

# Everything else works without it: a machine that reaches no npm registry continues.
build_ui() {
    tools/ui.sh 2>build/ui.log && return
    cat build/ui.log >&2
    say "Note: the web front end was not built; \`jostle serve\` has only its API. Again: tools/ui.sh"
}

install_packages
make_venv
mkdir -p build
build_ui & # which mostly waits for the registry
install_spark &
build_native
wait
