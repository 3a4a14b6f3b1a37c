# SPDX-License-Identifier: Apache-2.0
"""The Spack package: what a node needs, as `cmake --install --component native` installs it."""

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Jostle(CMakePackage):
    """Profiles every job of a cluster at once, on one clock, and finds how jobs disturb each other:
    the preloaded runtime with adapters for MPI, its launcher, and the agent of nodes."""

    homepage = "https://localhost/jostle"
    git = "https://localhost/jostle.git"  # the address of your clone; or `spack develop --path`

    license("Apache-2.0", checked_by="jostle")

    version("main", branch="main")

    variant("mpi", default=True, description="Build the adapter for this MPI")
    variant("agent", default=True, description="Build the shipper of the agent of nodes")
    variant(
        "munge", default=True, when="+agent", description="Let nodes prove who they are by MUNGE"
    )

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    # An adapter is compiled with an MPI and not linked to it.
    depends_on("mpi", type="build", when="+mpi")
    depends_on("curl", when="+agent")
    depends_on("zstd", when="+agent")
    depends_on("openssl", when="+munge")
    depends_on("pkgconfig", type="build", when="+agent")
    depends_on("munge", when="+munge")

    conflicts("platform=darwin", msg="jostle runs on Linux only")
    conflicts("platform=windows", msg="jostle runs on Linux only")

    generator("ninja")

    def cmake_args(self):
        """Name the compiler command of the MPI; without one, no adapter is built."""
        mpicc = self.spec["mpi"].mpicc if self.spec.satisfies("+mpi") else ""
        return [self.define("JOSTLE_MPICC", mpicc)]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def profile_a_program(self):
        """Profile a program with what was installed."""
        with working_dir("profiles", create=True):
            jostle_run = Executable(self.prefix.bin.join("jostle-run"))
            jostle_run("--spool", ".", "--", "cat", "/etc/hostname")
