"""Starts MPI programs on the nodes of a lab, without ssh.

The launchers start their daemons on other nodes through a program that takes the place of ssh:
it knows the process of each host and enters that process's namespaces.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from jostle_lab.cluster import network
from jostle_lab.cluster.spec import LabError
from jostle_lab.native import lab_native_path

MPIS = ("openmpi", "mpich")

_AGENT = """\
#!/bin/sh
# Stands in for ssh: agent [OPTION]... HOST COMMAND...
while :; do
    case "$1" in
    -l | -o | -p) shift 2 ;;
    -*) shift ;;
    *) break ;;
    esac
done
case "${1#*@}" in
%s
*) echo "jostle lab: there is no node $1" >&2; exit 255 ;;
esac
shift
cwd=$(pwd)
exec nsenter --target "$pid" --net --uts --mount sh -c 'cd "$1" 2>/dev/null; shift; eval "$*"' \
    sh "$cwd" "$@"
"""


def agent(hosts: Mapping[str, int], numbered: Sequence[tuple[str, int]]) -> str:
    """Return the text of the program that replaces ssh.

    Args:
        hosts: Process ID of each host inside the lab's PID namespace.
        numbered: Name and number of each node.
    """
    cases = [
        f"{name} | {network.address(number)}) pid={hosts[name]} ;;" for name, number in numbered
    ]
    return _AGENT % "\n".join(cases)


def launch(
    mpi: str,
    placement: Sequence[tuple[str, int]],
    argv: Sequence[str],
    env: Mapping[str, str],
    *,
    agent: Path,
) -> tuple[list[str], dict[str, str]]:
    """Return the launcher's command for the first node, and the variables it needs.

    RATIONALE: the ranks' own variables go through `env` before the program, so that LD_PRELOAD
    reaches the ranks of either MPI, and neither mpirun nor a daemon.

    Raises:
        LabError: The MPI library is unknown or not installed, or the placement is empty.
    """
    if mpi not in MPIS:
        raise LabError(
            f"A lab does not support the MPI library `{mpi}`.",
            hint="Use openmpi or mpich.",
            exit_code=2,
        )
    if not placement or any(count < 1 for _, count in placement):
        raise LabError("An MPI job needs at least one rank on each of its nodes.", exit_code=2)
    program = shutil.which(f"mpirun.{mpi}")
    if program is None:
        raise LabError(f"mpirun.{mpi} is not installed.", hint=f"apt-get install {_PACKAGES[mpi]}")
    total = sum(count for _, count in placement)
    hosts = ",".join(f"{node}:{count}" for node, count in placement)
    wanted = dict(env)
    if mpi == "mpich":
        _finish_well(wanted)
    variables = [f"{key}={value}" for key, value in wanted.items()]
    ranks = ["env", *variables, *argv] if variables else [*argv]
    if mpi == "openmpi":
        # Every process of a lab is root, at least in a user namespace.
        words = [
            program,
            "--allow-run-as-root",
            "-np",
            str(total),
            "--host",
            hosts,
            *_openmpi(agent),
            *ranks,
        ]
        return words, {}
    words = [
        program,
        "-launcher",
        "ssh",
        "-launcher-exec",
        str(agent),
        "-iface",
        "eth0",
        "-hosts",
        hosts,
        "-n",
        str(total),
        *ranks,
    ]
    # Without it Debian's MPICH takes all nodes of a lab for one node, as they share a kernel.
    return words, {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0"}


def _finish_well(env: dict[str, str]) -> None:
    """Preload the fix for MPICH's hang in MPI_Finalize (see integrations/mpich/finish.c)."""
    from jostle import NativeMissingError

    try:
        library = str(lab_native_path("libjostle_lab_mpich.so"))
    except NativeMissingError:
        return  # most programs end correctly without it
    others = env.get("LD_PRELOAD") or os.environ.get("LD_PRELOAD", "")
    env["LD_PRELOAD"] = f"{library}:{others}" if others else library


_PACKAGES = {"openmpi": "openmpi-bin", "mpich": "mpich"}


def _openmpi(agent: Path) -> list[str]:
    """Return the settings of Open MPI: the lab's agent, TCP over eth0, yielding on few cores."""
    settings = {
        "plm": "rsh",
        "plm_rsh_agent": str(agent),
        "plm_rsh_no_tree_spawn": "1",
        "oob_tcp_if_include": "eth0",
        "btl": "tcp,self",
        "btl_tcp_if_include": "eth0",
        "pml": "ob1",
        "mpi_yield_when_idle": "1",
        "rmaps_base_oversubscribe": "1",
    }
    words = ["--bind-to", "none"]
    for key, value in settings.items():
        words += ["--mca", key, value]
    return words
