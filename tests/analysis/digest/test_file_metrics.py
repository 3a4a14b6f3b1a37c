"""Metrics of questions about files are in the schema, and are summed once."""

from __future__ import annotations

import pytest

from jostle.repository.types import ACCESS_METRICS
from jostle.schema.metrics import BY_ID
from jostle.values.file_metrics import file_metrics, file_sum_sql, file_total


@pytest.mark.parametrize("end", ["bytes", "ops", "ns"])
def test_both_interfaces_are_in_the_schema(end: str) -> None:
    names = file_metrics(f"read_{end}", f"write_{end}")
    assert len(names) == 4
    assert set(names) <= set(BY_ID)


def test_a_total_takes_each_metric_once_and_what_is_missing_as_nothing() -> None:
    totals = {"posix_write_bytes": 3, "stdio_write_bytes": 4, "stdio_read_bytes": 5, "os_cpus": 9}
    assert file_total(totals, "write_bytes") == 7
    assert file_total(totals, "write_bytes", "read_bytes") == 12
    assert file_total({}, "write_bytes") == 0


def test_sql_and_tables_know_the_same_metrics() -> None:
    assert all(name in file_sum_sql("write_bytes") for name in file_metrics("write_bytes"))
    assert set(file_metrics("write_bytes", "sync_ns")) <= set(ACCESS_METRICS) <= set(BY_ID)
