"""Access patterns of reads from synthetic slices: which are named, and which are not."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jostle.analysis import AccessPattern, read_patterns
from jostle.repository.types import ACCESS_METRICS, JobTables

MIB = 1 << 20
Row = dict[str, int]


def read(reads: int = 40, size: int = MIB, **where: int) -> Row:
    """A slice: reads of a size, and metrics access_read_..."""
    return {
        "posix_read_ops": reads,
        "posix_read_bytes": reads * size,
        **{f"access_read_{name}": value for name, value in where.items()},
    }


CLOSED = {"access_read_file_ops": 1}
IN_ORDER = read()
STRIDED = read(stride_ops=40, stride_bytes=40 * MIB)
RANDOM = read(ahead_ops=19, back_ops=21, jump_bytes=40 * MIB)
AGAIN = read(again_ops=2, again_bytes=40 * MIB)


def pattern(*rows: Row) -> AccessPattern:
    """The patterns of a job with these slices on one mount."""
    number = len(rows)
    table = {
        "mount": pa.array(["node:/data"] * number),
        "slice": pa.array(range(1000, 1000 + number), pa.int64()),
        "slice_ns": pa.array([4_000_000_000] * number, pa.int64()),
        "count": pa.array([2] * number, pa.int64()),
    } | {name: pa.array([row.get(name, 0) for row in rows], pa.int64()) for name in ACCESS_METRICS}
    empty = pa.table({})
    (only,) = read_patterns(JobTables("made", empty, empty, empty, empty, None, pa.table(table)))
    return only


@pytest.mark.parametrize(
    ("rows", "name", "chunk"),
    [
        ([IN_ORDER] * 10, "sequential", MIB),
        ([STRIDED] * 10, "strided", MIB),
        ([RANDOM] * 10, "random", MIB),
        ([AGAIN] * 10, "re-read", 20 * MIB),
        ([IN_ORDER] * 5 + [AGAIN] * 5, "re-read", None),  # two readings of the same
        ([IN_ORDER] * 9 + [AGAIN], "sequential", MIB),
        ([STRIDED, RANDOM] * 5, "mixed", None),
        ([STRIDED] * 10 + [RANDOM] * 10, "mixed", None),
        ([read(ahead_ops=40, jump_bytes=40 * MIB)] * 10, "unknown", None),  # it skips
        # Chunks of HDF5 with nodes of the index between them: neither one way nor two.
        (
            [
                read(
                    100,
                    stride_ops=70,
                    stride_bytes=77 * MIB,
                    ahead_ops=6,
                    back_ops=4,
                    jump_bytes=9 * MIB,
                )
            ]
            * 10,
            "unknown",
            None,
        ),
        (
            [
                read(
                    100,
                    stride_ops=20,
                    stride_bytes=20 * MIB,
                    ahead_ops=34,
                    back_ops=6,
                    jump_bytes=41 * MIB,
                )
            ]
            * 10,
            "unknown",
            None,
        ),
        ([read(3)], "unknown", None),
        ([{}] * 3, "none", None),
    ],
)
def test_names(rows: list[Row], name: str, chunk: float | None) -> None:
    """The four patterns, and slices of none."""
    seen = pattern(*rows, CLOSED)
    assert seen.pattern == name
    assert chunk is None or seen.chunk_bytes == chunk


def test_a_run_that_takes_longer_than_a_slice_is_counted_when_it_ends() -> None:
    """The bytes are those of before: all of it is re-read, not a sequential phase and a burst."""
    turn = [read(), read(), read(again_ops=1, again_bytes=120 * MIB)]
    (phase,) = (each for each in pattern(*turn * 6, CLOSED).phases if each.bytes)
    assert phase.pattern == "re-read"
    assert phase.chunk_bytes == 120 * MIB


def test_phases_of_reading_and_their_bytes() -> None:
    """A job that reads its input in order, then looks things up."""
    first, _, then = pattern(*[IN_ORDER] * 10, *[{}] * 30, *[RANDOM] * 20, CLOSED).phases
    assert [first.pattern, then.pattern] == ["sequential", "random"]
    assert [first.calls, then.calls] == [400, 800]


def test_a_profile_without_positions_says_nothing() -> None:
    """A file that is not closed yet, or a runtime from before."""
    seen = pattern(*[IN_ORDER] * 10)
    assert (seen.pattern, seen.followed) == ("unknown", False)
    assert "does not say" in seen.phases[0].evidence


number = st.integers(0, 2**40)
WHERE = [name for name in ACCESS_METRICS if name.startswith("access_read_")]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries(
            dict.fromkeys([*WHERE, "posix_read_bytes", "posix_read_ops"], number)
        ),
        min_size=1,
        max_size=40,
    )
)
def test_whatever_a_profile_claims(rows: list[Row]) -> None:
    """Impossible figures are tolerated; bytes are neither lost nor invented."""
    seen = pattern(*rows)
    assert seen.bytes == sum(row["posix_read_bytes"] for row in rows)
    assert sum(phase.bytes for phase in seen.phases) == seen.bytes
    for phase in seen.phases:
        assert sum(part.share for part in phase.parts) == pytest.approx(1 if phase.bytes else 0)
