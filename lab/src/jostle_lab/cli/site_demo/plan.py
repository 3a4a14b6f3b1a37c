"""The plan of the demo of a site: jobs and faults, in seconds from the start of the watched job."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

SLICE = "500ms"
#: How long the watched job writes, s.
WATCHED_S = 84
#: Bursts of the job without a profile: from, to.
BURSTS = ((13.0, 15.5), (17.5, 19.0), (21.5, 24.5), (26.0, 27.5), (30.5, 33.0), (35.0, 36.5))
#: When the server's disk is capped: from, to.
CAPS = ((46.0, 49.0), (52.0, 54.5), (56.0, 60.0), (64.0, 66.5), (69.0, 72.0))
#: Bytes per second of the capped disk.
CAP = 6 << 20
#: When the receiver is killed, and when it is started again.
RECEIVER_AWAY = (38.0, 58.0)


@dataclass(frozen=True)
class Script:
    """A batch job of the demo.

    Attributes:
        name: Name of the job.
        node: Node that runs the job.
        options: Options of sbatch.
        text: Commands of the script.
    """

    name: str
    node: str
    options: tuple[str, ...]
    text: str


def scripts(signal: Path, shared: Path) -> list[Script]:
    """Return the users' jobs.

    Args:
        signal: Path of the load generator.
        shared: Path of the shared file system.
    """
    quiet = f"--dir {shared} --quiet --log none"
    write = f"{signal} open-write-close --reuse {quiet} --time {WATCHED_S}"
    burst = f"{signal} aggregate-write --processes 3 --chunk 2MiB --flush each {quiet}"
    bursts, last = [], 0.0
    for begin, end in BURSTS:
        bursts.append(f"sleep {begin - last:.1f}")
        bursts.append(f"{burst} --max-disk 600MiB --time {end - begin:.1f}")
        last = end
    profiled = (f"--jostle={SLICE}",)
    return [
        Script("steady", "node1", profiled, f"{write} --chunk 1MiB"),
        Script("light", "node2", profiled, f"{write} --chunk 64KiB --period 7 --duty 0.3"),
        Script("opted-out", "node3", ("--jostle=off",), "\n".join(bursts)),
    ]
