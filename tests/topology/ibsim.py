"""Simulated InfiniBand fabrics: networks for ibsim, and the tools that read them."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from jostle.files.loadable import is_loadable

#: What `simulated` needs, all from the packages ibsim-utils, opensm and infiniband-diags.
TOOLS = ("ibsim", "opensm", "ibnetdiscover", "dump_lfts")
_PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"
_FOUND = Path("/usr/lib").glob("*/umad2sim/libumad2sim.so")
_LIBRARY = next((path for path in _FOUND if is_loadable(path)), None)
#: Device -> own port -> (other device, its port).
Net = dict[str, dict[int, tuple[str, int]]]


def missing() -> str:
    """The missing programs; "" if all are installed."""
    lost = [tool for tool in TOOLS if not shutil.which(tool, path=_PATH)]
    return ", ".join(lost + ["libumad2sim.so"] * (_LIBRARY is None))


def join(net: Net, a: str, port_a: int, b: str, port_b: int) -> None:
    """Add a cable."""
    net.setdefault(a, {})[port_a] = (b, port_b)
    net.setdefault(b, {})[port_b] = (a, port_a)


def tree_net() -> Net:
    """A fat tree of three levels: 2 pods of 2 leaves and 2 spines, 2 cores, 2 nodes on each leaf.

    Between leaves and spines there are two cables each; node08 has two adapters.
    """
    net: Net = {}
    for leaf in range(4):
        for k in range(2):
            join(net, f"node{2 * leaf + k + 1:02d} mlx5_0", 1, f"leaf{leaf + 1}", k + 1)
        for spine in range(2):
            for cable in range(2):
                join(
                    net,
                    f"leaf{leaf + 1}",
                    10 + 2 * spine + cable,
                    f"spine{leaf // 2 * 2 + spine + 1}",
                    1 + 2 * (leaf % 2) + cable,
                )
    join(net, "node08 mlx5_1", 1, "leaf4", 3)
    for spine, core in itertools.product(range(4), range(2)):
        join(net, f"spine{spine + 1}", 10 + core, f"core{core + 1}", 1 + spine)
    return net


def torus_net(sizes: tuple[int, ...] = (4, 3, 3)) -> Net:
    """A torus with a node at each switch; ports 1 and 2 lead along x, 3 and 4 along y, ..."""
    net: Net = {}
    for at in itertools.product(*map(range, sizes)):
        own = "-".join(map(str, at))
        join(net, f"node{own} HCA-1", 1, f"sw{own}", 10)
        for d, size in enumerate(sizes):
            there = (*at[:d], (at[d] + 1) % size, *at[d + 1 :])
            join(net, f"sw{own}", 2 * d + 1, "sw" + "-".join(map(str, there)), 2 * d + 2)
    return net


@contextmanager
def simulated(net: Net, folder: Path, engine: str) -> Iterator[Callable[..., str]]:
    """Run a fabric that opensm has routed; yields a function that runs a tool and gives its output.

    Args:
        net: The fabric; adapters are devices with a blank in their name.
        folder: For files of the simulator and of opensm.
        engine: How opensm routes: ftree, dor, minhop.
    """
    identifiers = {
        name: f"{'H' if ' ' in name else 'S'}-{number + 1:016x}" for number, name in enumerate(net)
    }
    text = ""
    for name, ports in sorted(net.items(), key=lambda each: " " not in each[0]):
        kind = "Hca 2" if " " in name else "Switch 24"
        text += f'{kind} "{identifiers[name]}" # "{name}"\n'
        text += (
            "".join(
                f'[{own}] "{identifiers[other]}"[{port}]\n'
                for own, (other, port) in sorted(ports.items())
            )
            + "\n"
        )
    (folder / "net").write_text(text)
    environment = {
        **os.environ,
        "PATH": _PATH,
        "IBSIM_SOCKNAME": f"jostle-{uuid.uuid4().hex[:8]}",
        "OSM_CACHE_DIR": str(folder),
        "OSM_TMP_DIR": str(folder),
    }
    server = subprocess.Popen(
        [
            "ibsim",
            "-s",
            "-n",
            "-N",
            str(len(net) + 8),
            "-S",
            str(len(net) + 8),
            "-P",
            "4096",
            str(folder / "net"),
        ],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def run(*words: str) -> str:
        done = subprocess.run(
            words,
            env=environment | {"LD_PRELOAD": str(_LIBRARY)},
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    try:
        for _ in range(100):
            try:
                run("ibnetdiscover")
                break
            except AssertionError:  # it does not listen yet
                time.sleep(0.05)
        run("opensm", "-o", "-R", engine, "-f", str(folder / "opensm.log"), "-g", "0")
        yield run
    finally:
        server.kill()
        server.wait()
