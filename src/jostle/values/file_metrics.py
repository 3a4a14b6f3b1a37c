"""Metrics of a program's file I/O: sums over the interfaces that it may have called.

The runtime counts the POSIX and the stdio interface separately. A query about files ("how many
bytes were written?") concerns both: this module lists the metrics that belong to it.
"""

from __future__ import annotations

from collections.abc import Mapping

#: The interfaces whose calls are counted apart.
INTERFACES = ("posix", "stdio")


def file_metrics(*quantities: str) -> tuple[str, ...]:
    """Return the metrics whose sum is a program's file I/O, over POSIX and stdio.

    Args:
        quantities: Ends of metric names, such as `write_bytes`; all of them are included.

    Returns:
        Ids of metrics, in the order of `quantities`.
    """
    return tuple(f"{each}_{quantity}" for quantity in quantities for each in INTERFACES)


def file_total(totals: Mapping[str, int], *quantities: str) -> int:
    """Return the sum of these quantities in totals by metric; a metric that is missing is 0."""
    return sum(totals.get(name, 0) for name in file_metrics(*quantities))


def file_sum_sql(quantity: str) -> str:
    """Return the SQL for the sum of a quantity in a row of a rollup; a missing value is 0."""
    return " + ".join(f"coalesce({name}_sum, 0)" for name in file_metrics(quantity))
