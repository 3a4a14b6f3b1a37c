"""Where reads begin: jumps, regular ones, returns and their bytes agree with the program."""

from __future__ import annotations

import pytest
from harness import Compile, Runner

METRICS = [
    "ahead_ops",
    "back_ops",
    "jump_bytes",
    "stride_ops",
    "stride_bytes",
    "again_ops",
    "again_bytes",
]
CASES = [
    "sequential",
    "from-the-middle",
    "strided",
    "strided-at",
    "nested",
    "backward",
    "random",
    "skipping",
    "again",
    "same-block",
    "few-blocks",
    "in-turn",
    "in-place",
    "written-and-read",
    "streams",
    "copies",
    "header-first",
    "header-and-scattered",
    "few-places",
    "duplicates",
    "asynchronous",
]


@pytest.mark.parametrize("case", CASES)
def test_exact(jostle: Runner, build: Compile, case: str) -> None:
    """To the operation and the byte, by read, pread, streams, copies and asynchronous reads."""
    result = jostle.run(build("reads.c"), jostle.data, case)
    (line,) = result.notes["reads"]
    seen = {name: result.total(f"access_read_{name}") for name in METRICS}
    assert seen == dict(zip(METRICS, map(int, line.split()), strict=True))
    assert result.total("access_read_file_ops") == 1
