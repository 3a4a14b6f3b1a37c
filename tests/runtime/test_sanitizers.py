"""The runtime linked into a program under ThreadSanitizer, which cannot be preloaded."""

from __future__ import annotations

import pytest
from harness import Compile, Runner

PROGRAMS = {"threads.c": ["300", "60"], "storm.c": []}


@pytest.mark.in_turn
@pytest.mark.parametrize("source", PROGRAMS)
def test_thread_sanitizer(jostle: Runner, build_runtime: Compile, source: str) -> None:
    """Threads, signals and the heartbeat run concurrently without a data race of ours."""
    program = build_runtime(source, "-fsanitize=thread", "-DJST_SANITIZE=1")
    result = jostle.run(program, jostle.data, *PROGRAMS[source], code=None, preload=[])
    assert "ThreadSanitizer" not in result.stderr, result.stderr
    assert result.code == 0
    # The sanitizer's own start-up passes our wrappers too; it writes no files.
    result.check("posix_write")
