"""One Spark of two local cores for all tests of this folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path[:0] = [str(Path(__file__).parents[1] / "repository"), str(Path(__file__).parents[1])]

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    pytest.importorskip("pyspark")
    from jostle.spark.session import Cluster

    with Cluster("local[2]") as cluster:
        yield cluster.session
