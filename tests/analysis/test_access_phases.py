"""Access patterns from slices that were made up: what is named, where cut, what is not said."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jostle.analysis import WritePattern, find_period, write_patterns
from jostle.repository.types import WRITE_METRICS, JobTables

L = 4_000_000_000
MIB = 1 << 20
FIRST = 400_000_000


@dataclass
class Made:
    """A job's slices on one mount, put together stretch by stretch."""

    library: str = "0.3.0"
    processes: int = 4
    rows: list[dict[str, int]] = field(default_factory=list)

    def add(self, slices: int, **metrics: int) -> Made:
        """Adds equal slices; a metric without its module is one of access."""
        self.rows += [
            {
                k if k.startswith(("posix", "stdio")) else f"access_{k}": v
                for k, v in metrics.items()
            }
            for _ in range(slices)
        ]
        return self

    def owc(self, slices: int, chunk: int = MIB, files: int = 40, writes: int = 1) -> Made:
        """Files that are written by so many calls each, and closed."""
        return self.add(
            slices, posix_write_ops=files * writes, posix_write_bytes=files * chunk,
            posix_close_ops=files, file_ops=files, file_bytes=files * chunk,
        )  # fmt: skip

    def ws(self, slices: int, chunk: int = MIB, steps: int = 40) -> Made:
        """Chunks written again and again."""
        return self.add(
            slices, posix_write_ops=steps, posix_write_bytes=steps * chunk, posix_seek_ops=steps,
            back_ops=steps, back_bytes=steps * chunk,
        )  # fmt: skip

    def aw(self, slices: int, chunk: int = MIB, writes: int = 40) -> Made:
        """Files that grow."""
        return self.add(slices, posix_write_ops=writes, posix_write_bytes=writes * chunk)

    def close(self, slices: int = 0) -> Made:
        """Closes a file per process that the bytes of the last slices (0: all) went to."""
        moved = sum(row.get("posix_write_bytes", 0) for row in self.rows[-slices:])
        self.rows[-1]["access_file_ops"] = self.rows[-1].get("access_file_ops", 0) + self.processes
        self.rows[-1]["access_file_bytes"] = self.rows[-1].get("access_file_bytes", 0) + moved
        return self

    def silent(self, slices: int) -> Made:
        """Nothing at all."""
        return self.add(slices)

    def tables(self) -> JobTables:
        """Gives what a repository would."""
        table = {
            "mount": pa.array(["node:/data"] * len(self.rows)),
            "slice": pa.array(range(FIRST, FIRST + len(self.rows)), pa.int64()),
            "slice_ns": pa.array([L] * len(self.rows), pa.int64()),
            "count": pa.array([self.processes] * len(self.rows), pa.int64()),
        } | {
            name: pa.array([row.get(name, 0) for row in self.rows], pa.int64())
            for name in WRITE_METRICS
        }
        some = pa.array([1] * self.processes, pa.int64())
        mounts = pa.array(["node:/data"] * self.processes)
        totals = pa.table({"process": some, "mount": mounts, "posix_write_bytes": some})
        people = pa.table({"library": [self.library]})
        nothing = pa.table({"process": some})
        return JobTables(
            "made", people, pa.table({}), nothing, totals, None, pa.table(table)
        )  # fmt: skip

    def pattern(self) -> WritePattern:
        """Gives what is said of it."""
        (only,) = write_patterns(self.tables())
        return only


@pytest.mark.parametrize("chunk", [2048, 1 << 16, MIB, 16 * MIB, 256 * MIB])
def test_the_three(chunk: int) -> None:
    """The papers' patterns, with their chunk, closed at the end as programs do."""
    owc = Made().owc(20, chunk).pattern()
    ws = Made().ws(20, chunk).close().pattern()
    aw = Made().aw(20, chunk).close().pattern()
    assert [each.pattern for each in (owc, ws, aw)] == [
        "open-write-close", "write-seek", "aggregate-write",
    ]  # fmt: skip
    assert [each.chunk_bytes for each in (owc, ws, aw)] == [chunk] * 3
    for each in (owc, ws, aw):
        (phase,) = each.phases
        assert phase.share == 1 and phase.period is None and each.period is None


def test_pieces() -> None:
    """A chunk is what a file holds, by however many calls it came."""
    pattern = Made().owc(10, 40_000, files=8, writes=10_000).pattern()
    assert pattern.pattern == "open-write-close" and pattern.chunk_bytes == 40_000
    assert pattern.phases[0].writes_per_chunk == 10_000


def test_one_process_closes_before_the_other() -> None:
    """Files of many processes that grow for long do not look short because they end in turn."""
    made = Made(processes=10).aw(50)
    for _ in range(10):
        made.aw(1)
        made.rows[-1] |= {"access_file_ops": 1, "access_file_bytes": 60 * 4 * MIB}
    assert made.pattern().pattern == "aggregate-write"


def test_a_header_mended_is_no_rewriting() -> None:
    """One step back per file, as formats with a header do at their end."""
    made = Made().owc(20, files=10)
    for row in made.rows:
        row |= {"access_back_ops": 10, "access_back_bytes": 10 * (MIB - 100)}
    assert made.pattern().pattern == "open-write-close"


def test_slow_close() -> None:
    """A file whose flush takes slices is still written and closed, by its one write."""
    made = Made(processes=1)
    for _ in range(12):
        made.aw(1, 64 * MIB, 1).silent(2)
        made.rows[-1] |= {"access_file_ops": 1, "access_file_bytes": 64 * MIB}
    pattern = made.pattern()
    assert pattern.pattern == "open-write-close" and pattern.chunk_bytes == 64 * MIB


def test_phases() -> None:
    """A job that does one thing after another is cut where it changes."""
    pattern = Made().aw(20).silent(10).owc(15, 1 << 16).ws(30).close(30).silent(5).pattern()
    assert [phase.pattern for phase in pattern.phases] == [
        "aggregate-write", "none", "open-write-close", "write-seek", "none",
    ]  # fmt: skip
    seconds = [(phase.end_ns - phase.start_ns) / 1e9 for phase in pattern.phases]
    assert seconds == [80, 40, 60, 120, 20]
    assert pattern.pattern == "mixed" and sum(p.share for p in pattern.phases) == pytest.approx(1)
    assert sum(p.bytes for p in pattern.phases) == pattern.bytes


def test_mixed() -> None:
    """Two ways at once are mixed, and both are told."""
    made = Made().owc(30)
    for row in made.rows:
        row["posix_write_bytes"] += 30 * MIB
        row["posix_write_ops"] += 30
    pattern = made.pattern()
    assert pattern.pattern == "mixed" and pattern.chunk_bytes is None
    parts = {part.pattern: part for part in pattern.phases[0].parts}
    assert parts["open-write-close"].share == pytest.approx(4 / 7)
    assert parts["open-write-close"].chunk_bytes == MIB
    assert parts["aggregate-write"].share == pytest.approx(3 / 7)


def test_a_log_beside_checkpoints() -> None:
    """A trickle between bursts neither makes phases nor hides their period."""
    made = Made()
    for _ in range(8):
        made.owc(2).aw(6, 100, 10)
    pattern = made.pattern()
    assert pattern.pattern == "open-write-close" and len(pattern.phases) == 1
    assert pattern.period and pattern.period.low <= 32 <= pattern.period.high
    assert pattern.period.on_seconds == 8 and pattern.period.bursts == 8


@pytest.mark.parametrize("made", [
    Made().aw(1, MIB, 3),
    Made(processes=1).owc(1, MIB, files=1),
    Made(processes=1).owc(1, MIB, files=2),
])  # fmt: skip
def test_unknown_rather_than_guessed(made: Made) -> None:
    """Three writes, a file or two: nothing can be said."""
    pattern = made.pattern()
    assert pattern.pattern == "unknown" and pattern.chunk_bytes is None
    assert pattern.phases[0].evidence


def test_one_file_soon_done() -> None:
    """A file of many writes that fits a slice or two grew in order."""
    assert Made(processes=2).owc(1, MIB, files=2, writes=100).pattern().pattern == "aggregate-write"


def test_none() -> None:
    """A mount that is only read."""
    pattern = Made().add(10, posix_read_ops=5).pattern()
    assert pattern.pattern == "none" and pattern.phases[0].pattern == "none"


def test_profiles_of_before() -> None:
    """Without the metrics only files closed one after the other have a name."""
    old = Made(library="0.2.0")
    assert old.aw(10).pattern().pattern == "unknown"
    made = Made(library="0.2.0").owc(10)
    for row in made.rows:
        del row["access_file_ops"], row["access_file_bytes"]
    pattern = made.pattern()
    assert pattern.pattern == "open-write-close" and not pattern.followed


# ---- periods ----


def series(period: int, on: int, bursts: int, jitter: int = 0, seed: int = 0) -> np.ndarray:
    """Bursts in a row of slices."""
    draw = np.random.default_rng(seed)
    values = np.zeros(period * bursts)
    for k in range(bursts):
        at = k * period + (int(draw.integers(0, jitter + 1)) if jitter else 0)
        values[at : at + on] = 100 + draw.random(len(values[at : at + on]))
    return values


@pytest.mark.parametrize(
    ("period", "on", "bursts"), [(6, 3, 10), (8, 4, 8), (20, 1, 6), (60, 55, 5)]
)
def test_period(period: int, on: int, bursts: int) -> None:
    """Length and interval, in seconds."""
    found = find_period(series(period, on, bursts), 4.0)
    assert found and found.low <= 4 * period <= found.high and found.p_value < 0.01
    assert found.high - found.low < 4 and found.on_seconds == 4 * on and found.bursts == bursts
    assert found.to_json()["seconds"] == found.seconds


def test_no_period_in_noise() -> None:
    """At random instants no period is seen, but in one case of a hundred or so."""
    draw = np.random.default_rng(1)
    seen = sum(
        find_period(100.0 * (draw.random(300) < draw.uniform(0.05, 0.6)), 4.0) is not None
        for _ in range(100)
    )  # fmt: skip
    assert seen <= 5


def test_no_period_in_waiting() -> None:
    """Calls that take long end at regular times: that is no silence."""
    values = series(6, 1, 12)
    assert find_period(values, 4.0) is not None
    assert find_period(values, 4.0, busy=np.full(len(values), 3.9)) is None
    assert find_period(values, 4.0, busy=np.where(values > 0, 4.0, 0.0)) is not None


@pytest.mark.parametrize("values", [[], [1.0], [0.0] * 20, [5.0] * 50, [0.0] * 9 + [1.0]])
def test_nothing_to_find(values: list[float]) -> None:
    """Silence, steadiness, one burst."""
    assert find_period(np.asarray(values), 4.0) is None


number = st.integers(0, 2**40)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.fixed_dictionaries(dict.fromkeys(WRITE_METRICS[-5:], number) | {
    "posix_write_bytes": number, "posix_write_ops": number, "posix_close_ops": number,
}), min_size=1, max_size=40), st.integers(1, 9))  # fmt: skip
def test_whatever_a_profile_claims(rows: list[dict[str, int]], processes: int) -> None:
    """Figures that cannot be true are borne; bytes are neither lost nor made up."""
    pattern = Made(rows=rows, processes=processes).pattern()
    assert pattern.bytes == sum(row["posix_write_bytes"] for row in rows)
    assert sum(phase.bytes for phase in pattern.phases) == pattern.bytes
    for phase in pattern.phases:
        assert sum(part.share for part in phase.parts) == pytest.approx(1 if phase.bytes else 0)
    assert pattern.to_json()["mount"] == "node:/data"
