"""What a program can see of itself, and what it keeps, is the same with jostle in it."""

from __future__ import annotations

from harness import Compile, Runner


def test_heartbeat_is_no_thread_of_the_program(jostle: Runner, build: Compile) -> None:
    """CPython (3.12 and later) warns at fork when /proc/self/stat shows more than one thread."""
    result = jostle.run(build("own_stat.c"), jostle.data / "file")
    assert result.stdout == "1 10\n"


def test_nothing_is_said_into_a_file(jostle: Runner, build: Compile) -> None:
    """A message that has no standard error to go to is not written into what stands there."""
    program = build("other_stderr.c")
    jostle.spool.rmdir()
    (jostle.spool.parent / "spool").write_text("no folder")
    jostle.start(program, jostle.data / "file").communicate()
    assert (jostle.data / "file").read_bytes() == b"d" * 100_000
