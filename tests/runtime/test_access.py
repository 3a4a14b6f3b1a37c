"""Where writes begin: backward seeks, gaps and written files agree with the program."""

from __future__ import annotations

import pytest
from harness import Compile, Runner

METRICS = ["back_ops", "back_bytes", "gap_ops", "file_ops", "file_bytes"]
CASES = [
    "open-write-close",
    "reused-file",
    "write-seek",
    "write-seek-at",
    "aggregate-write",
    "aggregate-at",
    "strided",
    "seeks-forward",
    "appending",
    "reading-between",
    "only-reading",
    "duplicates",
    "redirections",
    "reused-number",
    "children",
    "redirected-child",
    "threads",
    "copies",
    "asynchronous",
    "streams",
]


@pytest.mark.parametrize("case", CASES)
def test_exact(jostle: Runner, build: Compile, case: str) -> None:
    """To the operation and the byte, also over fork, dup, append and reused numbers."""
    result = jostle.run(build("access.c"), jostle.data, case)
    (line,) = result.notes["access"]
    seen = {name: result.total(f"access_{name}") for name in METRICS}
    assert seen == dict(zip(METRICS, map(int, line.split()), strict=True))


def test_one_descriptor_of_many_threads(jostle: Runner, build: Compile) -> None:
    """Additions may be lost, and one be seen twice, but the figures stay in their size."""
    result = jostle.run(build("access.c"), jostle.data, "one-descriptor")
    written = result.total("posix_write_bytes")
    assert written == 4 * 2000 * 100
    assert result.total("access_file_ops") == 1
    assert 0 < result.total("access_file_bytes") <= 1.2 * written
    assert result.total("access_back_ops") + result.total("access_gap_ops") <= 4 * 2000


def test_cplusplus_streams(jostle: Runner, build: Compile) -> None:
    """std::fstream opens and closes by stdio, and writes by write and writev."""
    result = jostle.run(build("fstream.cc"), jostle.data)
    assert result.total("access_file_ops") == 1
    assert result.total("access_file_bytes") == result.total("posix_write_bytes") > 0
