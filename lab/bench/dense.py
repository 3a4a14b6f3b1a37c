"""Simulates a node with many devices for the agent: a /proc and a /sys with growing counters.

The text for one device is that of the agent's test fixtures; it is repeated for as many devices as
a dense node has. `rows/recording/agent.py` and `counts/system_calls.py` run the agent on it.
"""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[2] / "agent" / "test" / "fixtures"
CPUS = 256
SOCKETS = 2
DISKS = 12
MOUNTS = 8
PORTS = 4
JOBS = 32
LUSTRE = 2
TARGETS = 32  # of each Lustre file system

# Files in which every number is a counter, or is not read by any source.
_GROWING = (
    "proc/diskstats",
    "proc/stat",
    "proc/vmstat",
    "proc/net/dev",
    "proc/self/mountstats",
    "cpu.stat",
    "io.stat",
    "counters/port_",
    "stats",
    "energy_uj",
)
_FIXED = re.compile(r"^(cpu\d+|intr|\s*\d+\s+\d+ \w+|device|\s*(opts|age|caps|sec|xprt|events):).*")
_NUMBER = re.compile(r"(?<![\w.:/-])\d+(?![\w.:])")


def build(root: Path) -> None:
    """Make the folder."""
    _processors(root)
    _storage(root)
    trees = {name: _tree(name) for name in ("cgroup2", "fabric", "power")}
    _copies(
        root,
        trees["cgroup2"],
        "sys/fs/cgroup/system.slice/slurmstepd.scope/job_123",
        JOBS,
        lambda n: f"sys/fs/cgroup/system.slice/slurmstepd.scope/job_{1000 + n}",
    )
    _write(root, "sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n")
    _copies(
        root,
        trees["fabric"],
        "sys/class/infiniband/mlx5_0",
        PORTS,
        lambda n: f"sys/class/infiniband/mlx5_{n}",
    )
    for path, text in trees["power"].items():
        _write(root, path, text)
    _lustre(root)


def grow(root: Path, chance: random.Random) -> None:
    """Increase the counters as in a busy slice."""
    for path in root.rglob("*"):
        name = str(path.relative_to(root))
        if path.is_file() and name.endswith(_GROWING) | ("counters/port_" in name):
            lines = path.read_text().splitlines(keepends=True)
            path.write_text("".join(_grown(line, chance) for line in lines))


def _grown(line: str, chance: random.Random) -> str:
    if _FIXED.match(line) and "diskstats" not in line and not re.match(r"\s+\d+\s+\d+ [a-z]", line):
        return line
    head = re.match(r"\s+\d+\s+\d+ [a-z]\w*", line)  # of a disk: its numbers stay
    kept = head.group() if head else ""
    return kept + _NUMBER.sub(
        lambda n: str(int(n.group()) + chance.randrange(1, 3000)) if n.group() != "0" else "0",
        line.removeprefix(kept),
    )


def _write(root: Path, path: str, text: str) -> None:
    to = root / path
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(text)


def _tree(name: str) -> dict[str, str]:
    """Files of a fixture that is stored in one file: `@ path`, then its text."""
    files: dict[str, str] = {}
    for part in (FIXTURES / f"{name}.tree").read_text().split("\n@ "):
        path, _, text = part.removeprefix("@ ").partition("\n")
        files[path] = text + "\n"
    return files


def _copies(root: Path, tree: dict[str, str], prefix: str, times: int, to: object) -> None:
    for n in range(times):
        for path, text in tree.items():
            if path.startswith(prefix + "/"):
                _write(root, to(n) + path.removeprefix(prefix), text)  # type: ignore[operator]


def _processors(root: Path) -> None:
    each = CPUS // SOCKETS
    stat = "cpu  900000 3000 200000 7000000 3000 400 500 600 0 0\n"
    stat += "".join(f"cpu{n} 3000 10 900 30000 10 1 2 3 0 0\n" for n in range(CPUS))
    stat += "intr 900 " + "0 " * 4000 + "\nctxt 5\nprocs_running 9\n"
    _write(root, "proc/stat", stat)
    for name in ("meminfo", "vmstat", "pressure/cpu", "pressure/io", "pressure/memory"):
        _write(root, f"proc/{name}", (FIXTURES / "system/proc" / name).read_text())
    source = FIXTURES / "system/sys/devices/system/cpu/cpu0"
    for n in range(CPUS):
        folder = root / f"sys/devices/system/cpu/cpu{n}"
        shutil.copytree(source, folder)
        first = n // each * each
        (folder / "topology/core_siblings_list").write_text(f"{first}-{first + each - 1}\n")
        (folder / "topology/package_cpus_list").write_text(f"{first}-{first + each - 1}\n")
        (folder / "topology/thread_siblings_list").write_text(f"{n - n % 2}-{n - n % 2 + 1}\n")


def _storage(root: Path) -> None:
    line = " 1000 10 8000 500 2000 20 16000 900 3 700 9000 5 1 100 2 40 80\n"
    disks = ""
    for n in range(DISKS):
        disks += f" 259  {16 * n} nvme{n}n1{line}"
        disks += "".join(f" 259  {16 * n + p} nvme{n}n1p{p}{line}" for p in (1, 2, 3))
        (root / f"sys/block/nvme{n}n1").mkdir(parents=True)
    _write(root, "proc/diskstats", disks)
    numbers = "1000 10 1 2 0 0 0 0 2000 20 3 4 0 0 0 0"
    _write(
        root,
        "proc/net/dev",
        "Inter-| Receive\n face |bytes\n" + "".join(f"  eth{n}: {numbers}\n" for n in range(4)),
    )
    for n in range(4):
        (root / f"sys/class/net/eth{n}/device").mkdir(parents=True)
        _write(root, f"sys/class/net/eth{n}/speed", "100000\n")
    stats = (FIXTURES / "system/proc/self/mountstats").read_text().split("device ")[3]
    operations = "".join(f"\t   OP{n}: 5 5 0 400 500 1 2 3 0\n" for n in range(60))
    text, info = "", ""
    for n in range(MOUNTS):
        text += f"device {stats.rstrip()}\n{operations}\n".replace("/home", f"/home{n}")
        info += f"{40 + n} 30 0:{52 + n} / /home{n} rw - nfs4 filer:/export/home{n} rw\n"
    _write(root, "proc/self/mountstats", text)
    _write(root, "proc/self/mountinfo", info)


def _lustre(root: Path) -> None:
    texts = {
        kind: (FIXTURES / "lustre" / name).read_text()
        for kind, name in (
            ("llite", "llite-2.14.txt"),
            ("osc", "osc-2.12.txt"),
            ("mdc", "mdc-2.12.txt"),
        )
    }
    for n in range(LUSTRE):
        at, instance = "proc/fs/lustre", f"ffff{n:04x}00000000"
        _write(root, f"{at}/llite/fs{n}-{instance}/stats", texts["llite"])
        _write(root, f"{at}/mdc/fs{n}-MDT0000-mdc-{instance}/stats", texts["mdc"])
        for target in range(TARGETS):
            _write(root, f"{at}/osc/fs{n}-OST{target:04x}-osc-{instance}/stats", texts["osc"])
