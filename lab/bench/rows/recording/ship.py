"""Measures the cost of jostle-ship on a node: CPU, memory, bytes sent and before compression."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import Bench, MissingError, Row

sys.path.append(str(Path(__file__).resolve().parents[4] / "tests" / "agent"))

PROCESSES = 48
SLICE_S = 1.0  # slices are short here; figures are for 4 s
BYTES_PER_S = 3600.0  # on the wire: 300 B for each process and slice
_WORK = """
while :; do
    echo some more text >> {place}/$$; read x < {place}/$$; read -t 0.2 y <> {place}/pipe
done"""


def _cpu_ns(pid: int) -> int:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)


def _peak_kib(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def rows(bench: Bench) -> list[Row]:
    """Return the shipper's cost for processes that write a little in each slice."""
    shipper = bench.preload.parent / "jostle-ship"
    if not shipper.exists():
        raise MissingError("no jostle-ship next to the library")
    seconds = {"full": 30, "quick": 10, "smoke": 3}[bench.level]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "spool").mkdir()
        os.mkfifo(folder / "pipe")
        environment = {
            **os.environ,
            "LD_PRELOAD": str(bench.preload),
            "JOSTLE_SPOOL": str(folder / "spool"),
            "JOSTLE_SLICE": f"{SLICE_S}s",
        }
        work = ["bash", "-c", _WORK.format(place=folder)]
        processes = [subprocess.Popen(work, env=environment) for _ in range(PROCESSES)]
        try:
            return _measure(shipper, folder, seconds)
        finally:
            for process in processes:
                process.kill()
            for process in processes:
                process.wait()


def _measure(shipper: Path, folder: Path, seconds: int) -> list[Row]:
    from receiver import Receiver, serving  # of the tests: it needs pyarrow

    receiver, conf = Receiver(), folder / "agent.conf"
    conf.write_text(
        f"spool = {folder}/spool\nreceiver = unix://{folder}/socket\nnode = bench\n"
        f"interval = {SLICE_S}s\n"
    )
    with serving(receiver, folder / "socket"):
        process = subprocess.Popen([shipper, "--config", conf])
        time.sleep(4)  # the headers are sent once
        first, cpu, at = len(receiver.posts), _cpu_ns(process.pid), time.monotonic()
        sizes = sum(f.have for f in receiver.files.values())
        time.sleep(seconds)
        slices = (time.monotonic() - at) / SLICE_S
        cpu = _cpu_ns(process.pid) - cpu
        posts = receiver.posts[first:]
        records = sum(f.have for f in receiver.files.values()) - sizes
        peak = _peak_kib(process.pid)
        process.terminate()
        process.wait()
    wire = sum(sent for _, sent, _ in posts) / slices / 4
    raw = sum(decoded for _, _, decoded in posts) / slices / 4
    what = f"shipper, {PROCESSES} processes"
    return [
        Row(
            "ship",
            f"{what}: CPU at 4 s slices",
            "% of a core",
            "<= 0.2",
            cpu / slices <= 8e6,
            ours=cpu / slices / 4e9 * 100,
        ),
        Row(
            "ship",
            f"{what}: sent",
            "B/s",
            f"<= {BYTES_PER_S:.0f}",
            wire <= BYTES_PER_S,
            ours=wire,
            note=f"before compression {raw:.0f}, of which records {records / slices / 4:.0f}",
        ),
        Row("ship", f"{what}: memory", "KiB", "<= 32768", peak <= 32768, ours=peak),
    ]
