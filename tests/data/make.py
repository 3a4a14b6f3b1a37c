"""Makes the files of this folder that can be made again: seeds of the fuzzers.

    .venv/bin/python tests/data/make.py

The example files of a format version (v1*) are frozen: they are never made again.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from synth import EPOCH, Profile, Short, Shorts, random_profile  # noqa: E402
from synth_format import Layout, Metric, schema_layout  # noqa: E402

# Few metrics, so that a mutation hits something that matters.
SMALL = Layout(
    (
        Metric("posix_read_bytes", "counter", "bytes", "mount", 0),
        Metric("posix_read_ns", "timer", "ns", "mount", 1),
        Metric("posix_read_size", "histogram", "ops", "process", 16, 32),
        Metric("stream_read_ns", "timer", "ns", "process", 48),
        Metric("os_user_ns", "counter", "ns", "process", 49),
        Metric("os_rss_bytes", "gauge", "bytes", "process", 50),
        Metric("of_the_future_ops", "counter", "ops", "process", 51),
        Metric("self_calls_ops", "counter", "ops", "process", 52),
    ),
    cell_count=56,
    slots=8,
    stride=2,
)


def small_profile(seed: int, **header: object) -> Profile:
    """A profile of about 6 KB with every kind of record."""
    p = random_profile(
        seed, slices=6, density=0.5, layout=SMALL, align=8, block_bytes=512, block_capacity=2,
        **header,
    )  # fmt: skip
    p.add_clock(EPOCH, 5, 16_000_000, -3_600_000_000_000)
    p.add_note(EPOCH, "the spool vanished")
    return p


def small_shorts(layout: Layout = SMALL) -> Shorts:
    """A shorts file with a process before the header, mounts, and two headers."""
    s = Shorts(layout=layout)
    s.add(Short(values={"os_user_ns": 1_000_000}))
    s.add_header()
    for i in range(3):
        mounts = tuple((slot, 8, slot, 0xEF53) for slot in range(i))
        values = {"posix_read_bytes": {0: 4096 * i}, "self_calls_ops": i + 1}
        s.add(Short(pid=101 + i, end_ns=EPOCH + i * 5_000_000_000, mounts=mounts, values=values))
    s.add_header()
    return s


def main() -> None:
    """Writes the seeds."""
    folder = HERE / "seeds"
    folder.mkdir(exist_ok=True)
    for seed in range(3):
        (folder / f"profile{seed}.jst").write_bytes(small_profile(seed).encode())
    (folder / "ended.jst").write_bytes(small_profile(9, end_ns=EPOCH, end_reason=1).encode())
    (folder / "shorts.jss").write_bytes(small_shorts().encode())
    (folder / "schema.jss").write_bytes(small_shorts(schema_layout()).encode())


if __name__ == "__main__":
    main()
