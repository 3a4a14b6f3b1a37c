"""One mpirun across two nodes: one job, two hosts, every count right."""

from __future__ import annotations

from pathlib import Path

import pytest
from mpis import Mpi, Mpirun, classes
from nodes import Nodes, two_nodes

PARTS = "p2p nonblocking persistent completion blocking inplace ionblocking comm".split()


def across(nodes: Nodes, mpi: Mpi, command: list[str], names: list[str]) -> list[str]:
    """The command line of an mpirun, spread over both nodes, with variables to take along."""
    hosts = ",".join(nodes.addresses)
    if mpi.name == "openmpi":
        options = [
            "--host",
            ",".join(f"{a}:2" for a in nodes.addresses),
            "--mca",
            "plm_rsh_agent",
            str(nodes.agent),
            "--mca",
            "btl",
            "tcp,self",
            "--mca",
            "pml",
            "ob1",
            "--mca",
            "oob_tcp_if_include",
            "eth0",
            "--mca",
            "btl_tcp_if_include",
            "eth0",
        ]
        options += [word for name in names for word in ("-x", name)]
    else:
        options = [
            "-hosts",
            hosts,
            "-ppn",
            "2",
            "-iface",
            "eth0",
            "-launcher",
            "ssh",
            "-launcher-exec",
            str(nodes.agent),
        ]
    return nodes.on_first(command[0], *options, *command[1:])


@pytest.mark.in_turn
def test_two_nodes_are_one_job(jostle: Mpirun, mpi: Mpi, tmp_path: Path) -> None:
    command, env = jostle.mpirun(mpi, 4, classes(mpi), *PARTS, counted="after")
    env |= {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0", "SEVERAL_NODES": "1"}
    if mpi.name == "mpich":
        # Its MPI_Finalize hangs on such links every other time, with us or without.
        env["LEAVE"] = "1"
    names = [n for n, value in env.items() if value is not None and not n.startswith("OMPI")]
    names += ["JOSTLE_SPOOL", "JOSTLE_SLICE", "TRUTH", "DATA"]
    with two_nodes(tmp_path) as nodes:
        line = across(nodes, mpi, command, names)
        world = jostle.as_world(jostle.run(*line, env=env, cwd=tmp_path, code=None))
    assert world.code == 0 or mpi.name == "mpich", world.stderr
    world.agree(ranks=4)
    assert [p.header["world_rank"] for p in world.ranks] == [0, 1, 2, 3]
    assert [p.header["host"] for p in world.ranks] == ["node1", "node1", "node2", "node2"]
    assert len({p.job for p in world.ranks}) == 1
    assert world.ranks[0].job.startswith("mpi-")
