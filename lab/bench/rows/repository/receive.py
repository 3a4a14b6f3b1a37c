"""Measures the receiver: POST requests and bytes per second of a core, and the delay until queries.

The capacity of a core is measured by CPU time, since the nodes that send run on the same machine:
requests divided by the CPU seconds of the receiver's own process. Its ingester is not included.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import statistics
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from measure import Bench, Row

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT / "tests/receive")]

#: So many clients that posts arrive in groups, as at a site.
NODES = [f"n{number}" for number in range(32)]
POSTS_TARGET, BYTES_TARGET, LATENCY_TARGET_S = 1000, 40e6, 8.0
#: Name -> files of a post, and bytes of each.
KINDS = {"dense": (48, 1200), "small": (4, 1200), "bulk": (4, 100_000)}


def rows(bench: Bench) -> list[Row]:
    """Measure HTTP POST requests of three kinds, then the delay of a slice."""
    found = [_throughput(bench, kind) for kind in KINDS]
    return [row for pair in found for row in pair] + [_latency(bench)]


def _throughput(bench: Bench, kind: str) -> list[Row]:
    from running_receiver import start

    files, size = KINDS[kind]
    count = bench.pick(100, 40, 2)
    folder = bench.disk / f"receive-{kind}"
    folder.mkdir()
    bodies = {name: _bodies(name, files, size, count) for name in NODES}
    tokens = folder / "tokens"
    hashes = (hashlib.sha256(f"secret-{name}".encode()).hexdigest() for name in NODES)
    tokens.write_text("".join(f"{name} {h}\n" for name, h in zip(NODES, hashes, strict=True)))
    tokens.chmod(0o600)
    receiver = start(folder)
    try:
        used, begin = _cpu_s(receiver.process.pid), time.monotonic()
        threads = [
            threading.Thread(target=_post_all, args=(receiver.node(name), bodies[name]))
            for name in NODES
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.monotonic() - begin
        used = _cpu_s(receiver.process.pid) - used
        there = sum(path.stat().st_size for path in receiver.mirror.glob("*/*/*.jst"))
    finally:
        receiver.kill()
        shutil.rmtree(folder, ignore_errors=True)
    posts, raw = count * len(NODES), count * len(NODES) * files * size
    if there != raw:
        raise RuntimeError(f"{there} bytes are in the mirror, not {raw}")
    note = (
        f"{files} files with {size} bytes each a post; {posts / seconds:.0f} posts/s with "
        f"{len(NODES)} nodes on the same {os.cpu_count()} cores"
    )
    rate, flow = posts / used, raw / used
    # Many small files limit the posts, few large ones the bytes.
    return [
        Row(
            f"receive-{kind}-posts",
            f"receive {kind}: posts per core",
            "1/s",
            f">= {POSTS_TARGET} /s",
            rate >= POSTS_TARGET if kind == "small" else None,
            ours=rate,
            note=note,
        ),
        Row(
            f"receive-{kind}-bytes",
            f"receive {kind}: raw bytes per core",
            "MB/s",
            f">= {BYTES_TARGET / 1e6:.0f} MB/s",
            None if kind == "small" else flow >= BYTES_TARGET,
            ours=flow / 1e6,
            note=note,
        ),
    ]


def _bodies(node: str, files: int, size: int, count: int) -> list[bytes]:
    from receive_node import body, ranged

    data = random.Random(node).randbytes(size // 5) + bytes(size - size // 5)
    return [
        body(*[ranged(file, data, number * size, name=f"job.{file}.jst") for file in range(files)])
        for number in range(count)
    ]


def _post_all(node: object, bodies: Sequence[bytes]) -> None:
    for sent in bodies:
        answer = node.send(sent)  # type: ignore[attr-defined]
        if answer.status != 200:
            raise RuntimeError(f"{answer.status} {answer.words}")


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _latency(bench: Bench) -> Row:
    """Measure the time from a POST request with a new slice until a query returns the slice."""
    from running_receiver import start
    from test_end_to_end import Growing

    from jostle.repository import Repository

    folder = bench.disk / "receive-latency"
    folder.mkdir()
    receiver = start(folder)
    took = []
    try:
        node, process = receiver.node(), Growing("n1", 1)
        store = Repository(folder / "repository", create=True)
        for slices in range(1, bench.pick(30, 10, 2) + 1):
            process.grow(1)
            begin = time.monotonic()
            process.have = node.post(*process.ranges(over=False)).have(process.file)
            while store.query("SELECT count(*) AS n FROM slices")["n"][0].as_py() < slices:
                if time.monotonic() > begin + 60:
                    raise RuntimeError("a slice did not come within a minute")
                time.sleep(0.01)
            took.append(time.monotonic() - begin)
            time.sleep(0.3)
        store.close()
    finally:
        receiver.kill()
        shutil.rmtree(folder, ignore_errors=True)
    return Row(
        "receive-latency",
        "from a post until its slice can be queried",
        "ms",
        f"<= {LATENCY_TARGET_S:.0f} s, the longest",
        max(took) <= LATENCY_TARGET_S,
        ours=statistics.median(took) * 1e3,
        note=f"median of {len(took)} slices, the longest {max(took) * 1e3:.0f} ms; the shipper's "
        "interval comes on top",
    )
