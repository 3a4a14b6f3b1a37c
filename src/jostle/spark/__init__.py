"""Runs queries of a repository in Apache Spark.

Public interface:
    register: lets a Spark session read repositories: `spark.read.format("jostle").load(path)`.
    SparkError: Spark cannot be started, or could not answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jostle.spark.errors import SparkError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["SparkError", "register"]


def register(spark: SparkSession) -> None:
    """Let a session read repositories: `spark.read.format("jostle").load(path)`.

    Args:
        spark: The session; its filters are passed on to data sources from now on.
    """
    from jostle.spark.source import JostleSource

    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    spark.dataSource.register(JostleSource)
