"""The readers of Arrow columns: nulls, absent columns and several chunks."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jostle.values.arrow_columns import floats, ints, ints_or_zeros, lists, some_floats

WHOLE = st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), max_size=20)


@given(values=WHOLE, more=WHOLE)
def test_whole_numbers_keep_every_bit(values: list[int | None], more: list[int | None]) -> None:
    column = pa.chunked_array([pa.array(values, pa.int64()), pa.array(more, pa.int64())])
    table = pa.table({"n": column})
    assert ints(table, "n").tolist() == [value or 0 for value in values + more]
    assert ints_or_zeros(table, "n").tolist() == ints(table, "n").tolist()


def test_an_absent_column() -> None:
    table = pa.table({"n": [1.5, None]})
    assert ints_or_zeros(table, "m").tolist() == floats(table, "m").tolist() == [0, 0]
    with pytest.raises(KeyError):
        ints(table, "m")
    assert lists(table, "m")[0].size == 0


def test_fractions_and_lists() -> None:
    table = pa.table({"n": [1.5, None], "zero": [0, 0], "l": [[1, 2], [3]]})
    assert floats(table, "n").tolist() == [1.5, 0.0]
    assert list(some_floats(table, ["n", "zero", "absent"])) == ["n"]
    rows, values = lists(table, "l")
    assert rows.tolist() == [0, 0, 1]
    assert np.array_equal(values, [1.0, 2.0, 3.0])
