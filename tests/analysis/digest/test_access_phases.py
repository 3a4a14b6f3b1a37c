"""Access patterns from synthetic slices: names, boundaries of phases, and what stays unnamed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jostle.analysis import AccessPattern, find_period, write_patterns
from jostle.repository.types import ACCESS_METRICS, JobTables

L = 4_000_000_000
MIB = 1 << 20
FIRST = 400_000_000


@dataclass
class Made:
    """A job's slices on one mount, put together stretch by stretch."""

    library: str = "0.3.0"
    processes: int = 4
    stored: int = 0  # bytes that each process sent to disks, as the kernel counts
    kind: str = "ext4"
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
            slices,
            posix_write_ops=files * writes,
            posix_write_bytes=files * chunk,
            posix_close_ops=files,
            file_ops=files,
            file_bytes=files * chunk,
        )

    def ws(self, slices: int, chunk: int = MIB, steps: int = 40) -> Made:
        """Chunks written repeatedly."""
        return self.add(
            slices,
            posix_write_ops=steps,
            posix_write_bytes=steps * chunk,
            posix_seek_ops=steps,
            back_ops=steps,
            back_bytes=steps * chunk,
        )

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
        """Gives the tables that a repository would."""
        table = {
            "mount": pa.array(["node:/data"] * len(self.rows)),
            "slice": pa.array(range(FIRST, FIRST + len(self.rows)), pa.int64()),
            "slice_ns": pa.array([L] * len(self.rows), pa.int64()),
            "count": pa.array([self.processes] * len(self.rows), pa.int64()),
        } | {
            name: pa.array([row.get(name, 0) for row in self.rows], pa.int64())
            for name in ACCESS_METRICS
        }
        some = pa.array([1] * self.processes, pa.int64())
        each = pa.array(range(self.processes), pa.int64())
        mounts = pa.array(["node:/data"] * self.processes)
        totals = pa.table({"process": each, "mount": mounts, "posix_write_bytes": some})
        people = pa.table({"library": [self.library] * self.processes, "process": each})
        stored = pa.array([self.stored] * self.processes, pa.int64())
        left = pa.table({"process": each, "os_write_bytes": stored})
        kinds = pa.table({"mount": ["node:/data"], "type": [self.kind]})
        return JobTables("made", people, kinds, left, totals, None, pa.table(table))

    def pattern(self) -> AccessPattern:
        """Gives its access phases."""
        (only,) = write_patterns(self.tables())
        return only


@pytest.mark.parametrize("chunk", [2048, 1 << 16, MIB, 16 * MIB, 256 * MIB])
def test_the_three(chunk: int) -> None:
    """The papers' patterns, with their chunk, closed at the end as programs do."""
    owc = Made().owc(20, chunk).pattern()
    ws = Made().ws(20, chunk).close().pattern()
    aw = Made().aw(20, chunk).close().pattern()
    assert [each.pattern for each in (owc, ws, aw)] == [
        "open-write-close",
        "write-seek",
        "aggregate-write",
    ]
    assert [each.chunk_bytes for each in (owc, ws, aw)] == [chunk] * 3
    for each in (owc, ws, aw):
        (phase,) = each.phases
        assert phase.share == 1 and phase.period is None and each.period is None


def test_pieces() -> None:
    """A chunk is the content of a file, however many calls wrote it."""
    pattern = Made().owc(10, 40_000, files=8, writes=10_000).pattern()
    assert pattern.pattern == "open-write-close" and pattern.chunk_bytes == 40_000
    assert pattern.phases[0].calls_per_chunk == 10_000


def test_one_process_closes_before_the_other() -> None:
    """Long-growing files of many processes are not taken for short because they end in turn."""
    made = Made(processes=10).aw(50)
    for _ in range(10):
        made.aw(1)
        made.rows[-1] |= {"access_file_ops": 1, "access_file_bytes": 60 * 4 * MIB}
    assert made.pattern().pattern == "aggregate-write"


def test_a_header_fixed_is_no_rewriting() -> None:
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
        "aggregate-write",
        "none",
        "open-write-close",
        "write-seek",
        "none",
    ]
    seconds = [(phase.end_ns - phase.start_ns) / 1e9 for phase in pattern.phases]
    assert seconds == [80, 40, 60, 120, 20]
    assert pattern.pattern == "mixed" and sum(p.share for p in pattern.phases) == pytest.approx(1)
    assert sum(p.bytes for p in pattern.phases) == pattern.bytes


def test_mixed() -> None:
    """Two patterns at once are mixed, and both are reported."""
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


def test_a_log_alongside_checkpoints() -> None:
    """A trickle between bursts neither makes phases nor hides their period."""
    made = Made()
    for _ in range(8):
        made.owc(2).aw(6, 100, 10)
    pattern = made.pattern()
    assert pattern.pattern == "open-write-close" and len(pattern.phases) == 1
    assert pattern.period and pattern.period.low <= 32 <= pattern.period.high
    assert pattern.period.on_seconds == 8 and pattern.period.bursts == 8


@pytest.mark.parametrize(
    "made",
    [
        Made().aw(1, MIB, 3),
        Made(processes=1).owc(1, MIB, files=1),
        Made(processes=1).owc(1, MIB, files=2),
    ],
)
def test_unknown_rather_than_guessed(made: Made) -> None:
    """Three writes, a file or two: no pattern can be named."""
    pattern = made.pattern()
    assert pattern.pattern == "unknown" and pattern.chunk_bytes is None
    assert pattern.phases[0].evidence


def test_one_file_soon_done() -> None:
    """A file of many writes that fits a slice or two grew in order."""
    assert Made(processes=2).owc(1, MIB, files=2, writes=100).pattern().pattern == "aggregate-write"


def test_records_of_several_slices() -> None:
    """Bytes are divided over slices, but a closed file is in one slice: it had all of them."""
    made = Made(processes=2)
    for _ in range(4):
        made.add(4, posix_write_bytes=4 * MIB, file_bytes=4 * MIB)
        made.add(1, posix_write_bytes=4 * MIB, posix_write_ops=2, file_ops=2, file_bytes=4 * MIB)
    pattern = made.pattern()
    assert pattern.pattern == "open-write-close" and pattern.chunk_bytes == 10 * MIB
    assert pattern.phases[0].parts[0].share == 1


def test_too_little_evidence_is_not_mixed() -> None:
    """A phase of two writes hides no name that all others agree on, and makes none mixed."""
    few = Made(processes=1).add(3, posix_write_bytes=10 * MIB, posix_write_ops=1).silent(20)
    assert few.pattern().phases[0].pattern == "unknown"
    assert few.owc(20, MIB, 10).pattern().pattern == "open-write-close"
    some = Made(processes=1).add(3, posix_write_bytes=30 * MIB, posix_write_ops=1).silent(20)
    assert some.owc(20, MIB, 10).pattern().pattern == "unknown"


def test_few_large_rewrites() -> None:
    """Steps back that begin in a slice and end in another, and the last ones before the close."""
    made, chunk = Made(processes=2), 256 * MIB
    made.ws(1, chunk, 1)
    made.rows[0] = {"posix_write_ops": 2, "posix_write_bytes": 2 * chunk}
    for _ in range(5):
        made.add(1, back_ops=2, back_bytes=2 * chunk)
        made.add(1, posix_write_ops=2, posix_write_bytes=2 * chunk)
    made.close()
    made.rows[-1]["access_file_ops"] = 2
    pattern = made.pattern()
    assert pattern.pattern == "write-seek" and pattern.chunk_bytes == chunk
    assert pattern.phases[-1].parts[0].share == 1


def test_files_in_turn_that_take_a_while() -> None:
    """Checkpoints of four or five slices each are files, one phase, and periodic."""
    made = Made(processes=1)
    for turn in range(8):
        made.aw(4 + turn % 2).close(4 + turn % 2).silent(5 - turn % 2)
    pattern = made.pattern()
    assert pattern.pattern == "open-write-close" and len(pattern.phases) == 1
    assert pattern.period and pattern.period.low <= 36 <= pattern.period.high


def test_files_of_short_processes_in_turn() -> None:
    """A build: each file is another process's, and takes slices on a busy machine."""
    made = Made(processes=20)
    for _ in range(20):
        made.aw(4).aw(1)
        made.rows[-1] |= {"access_file_ops": 1, "access_file_bytes": 5 * 40 * MIB}
    tables = made.tables()
    assert tables.accesses is not None
    alone = pa.array([1] * tables.accesses.num_rows, pa.int64())
    at = tables.accesses.column_names.index("count")
    writes = tables.accesses.set_column(at, "count", alone)
    (pattern,) = write_patterns(replace(tables, accesses=writes))
    assert pattern.pattern == "open-write-close" and len(pattern.phases) == 1


def test_files_side_by_side() -> None:
    """Files that one process keeps open together, and closes at once, grew all along."""
    made = Made(processes=1).aw(30)
    made.rows[-1] |= {"access_file_ops": 12, "access_file_bytes": 30 * 40 * MIB}
    pattern = made.pattern()
    assert pattern.pattern == "aggregate-write" and pattern.chunk_bytes == MIB


@pytest.mark.parametrize(
    ("gaps", "said"), [(0, "write-seek"), (40, "unknown"), (400, "write-seek")]
)
def test_to_and_fro(gaps: int, said: str) -> None:
    """Writes all over a file, and headers fixed while it grows, look the same: not guessed at."""
    made = Made().ws(20, steps=40)
    for row in made.rows:
        row |= {"access_gap_ops": gaps, "posix_write_ops": 40 + gaps}
    pattern = made.pattern()
    assert pattern.pattern == said
    assert pattern.phases[0].scattered == (said == "unknown") == (pattern.chunk_bytes is None)


def test_a_journal_alongside_a_database() -> None:
    """As many steps back as files, but behind more than these hold: they are of another file."""
    made = Made(processes=1)
    made.add(
        20,
        posix_write_ops=400,
        posix_write_bytes=40 * (8 << 10) + 40 * (16 << 10),
        file_ops=40,
        file_bytes=40 * (8 << 10),
        back_ops=60,
        back_bytes=60 * (14 << 10),
    )
    pattern = made.pattern()
    shares = {part.pattern: part.share for part in pattern.phases[0].parts}
    assert pattern.pattern == "mixed"
    assert shares["open-write-close"] == pytest.approx(1 / 3)
    assert shares["write-seek"] > 0.5


@pytest.mark.parametrize(
    ("kind", "stored", "said"),
    [
        ("ext4", 0, "aggregate-write"),
        ("ext4", 100 * MIB, "aggregate-write"),  # a tenth of all: a name is no guess
        ("ext4", 4000 * MIB, "unknown"),
        ("tmpfs", 4000 * MIB, "unknown"),  # nobody knows which mount it went to
    ],
)
def test_what_is_written_past_all_calls(kind: str, stored: int, said: str) -> None:
    """With mapped memory and the like no pattern is named, nor the absence of one."""
    pattern = Made(stored=stored, kind=kind, processes=1).aw(25).pattern()
    assert pattern.pattern == said
    assert ("past all calls" in pattern.phases[0].evidence) == (said == "unknown")
    silent = Made(stored=stored, processes=1).add(5, posix_read_ops=5).pattern()
    assert silent.pattern == ("unknown" if stored else "none")


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
        for _ in range(30)
    )
    assert seen <= 2


def test_no_period_in_waiting() -> None:
    """Calls that take long end at regular times: that is no silence."""
    values = series(6, 1, 12)
    assert find_period(values, 4.0) is not None
    assert find_period(values, 4.0, busy=np.full(len(values), 3.9)) is None
    assert find_period(values, 4.0, busy=np.where(values > 0, 4.0, 0.0)) is not None


@pytest.mark.parametrize("values", [[], [1.0], [0.0] * 20, [5.0] * 50, [0.0] * 9 + [1.0]])
def test_nothing_to_find(values: list[float]) -> None:
    """Bursts: none in silence, none in a steady load, one alone."""
    assert find_period(np.asarray(values), 4.0) is None


number = st.integers(0, 2**40)
WHERE = [name for name in ACCESS_METRICS if name.startswith("access_")]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries(
            dict.fromkeys(WHERE, number)
            | {"posix_write_bytes": number, "posix_write_ops": number, "posix_close_ops": number}
        ),
        min_size=1,
        max_size=40,
    ),
    st.integers(1, 9),
)
def test_whatever_a_profile_claims(rows: list[dict[str, int]], processes: int) -> None:
    """Impossible figures are tolerated; bytes are neither lost nor invented."""
    pattern = Made(rows=rows, processes=processes).pattern()
    assert pattern.bytes == sum(row["posix_write_bytes"] for row in rows)
    assert sum(phase.bytes for phase in pattern.phases) == pattern.bytes
    for phase in pattern.phases:
        assert sum(part.share for part in phase.parts) == pytest.approx(1 if phase.bytes else 0)
    assert pattern.to_json()["mount"] == "node:/data"
