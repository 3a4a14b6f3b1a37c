"""The header's field `script`: what real interpreters run, and nothing else of the arguments."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from harness import Runner

SECRET = "hunter2"
PYTHON = os.path.realpath(sys.executable)
#: Interpreter -> a script that lives long enough for a profile of its own, and options before it.
WAITS = {
    "python3": ("import time; time.sleep(0.4)\n", ("-u",)),
    "sh": ("sleep 0.4\n:\n", ("-e",)),
    "bash": ("sleep 0.4\n:\n", ("-eo", "pipefail")),
    "perl": ("select(undef, undef, undef, 0.4);\n", ("-w",)),
    "ruby": ("sleep 0.4\n", ("-W1",)),
    "node": ("setTimeout(() => 0, 400)\n", ("--no-warnings",)),
    "Rscript": ("Sys.sleep(0.4)\n", ("--vanilla",)),
    "julia": ("sleep(0.4)\n", ("-O0",)),
}


def scripts(jostle: Runner, *command: str | Path, **env: str | None) -> list[str]:
    """Run a command; return the scripts in the headers of its profiles, and look for the secret."""
    result = jostle.run(*command, SECRET, env=env)
    for path in jostle.spool.iterdir():
        assert SECRET.encode() not in path.read_bytes(), path
    return [str(one.header["script"]) for one in result.processes if "script" in one.header]


@pytest.mark.parametrize("interpreter", WAITS)
def test_script(jostle: Runner, interpreter: str) -> None:
    """A script is named by its base name."""
    if not shutil.which(interpreter):
        pytest.skip(f"no {interpreter} here")
    text, options = WAITS[interpreter]
    script = jostle.data / "train_it"
    script.write_text(text)
    assert "train_it" in scripts(jostle, interpreter, *options, script)


def test_others(jostle: Runner) -> None:
    """A module has its name; code has none, and other programs have none."""
    (jostle.data / "train_it.py").write_text("import time; time.sleep(0.4)\n")
    assert scripts(jostle, PYTHON, "-m", "train_it") == ["train_it"]
    for path in jostle.spool.iterdir():
        path.unlink()
    assert scripts(jostle, PYTHON, "-c", "import time; time.sleep(0.4)") == [""]


def test_no_command_lines(jostle: Runner) -> None:
    """Without recorded command lines there are no scripts, either."""
    script = jostle.data / "train_it.py"
    script.write_text("import time; time.sleep(0.4)\n")
    assert scripts(jostle, PYTHON, script, JOSTLE_COMMAND_LINES="none") == [""]
    for path in jostle.spool.iterdir():
        assert b"train_it" not in path.read_bytes()


def test_long_command_line(jostle: Runner) -> None:
    """A script far behind in a long command line is found; one that is cut is not guessed."""
    script = jostle.data / "train_it.py"
    script.write_text("import time; time.sleep(0.4)\n")
    waits = ["-W", "ignore" + 400 * ":"] * 5
    assert scripts(jostle, PYTHON, *waits, script) == ["train_it.py"]
    for path in jostle.spool.iterdir():
        path.unlink()
    assert scripts(jostle, PYTHON, *waits, *waits, script) == [""]


def test_link_to_a_script(jostle: Runner) -> None:
    """A file that names its interpreter in its first line is that file."""
    script = jostle.data / "solve"
    script.write_text(f"#!{PYTHON}\nimport time; time.sleep(0.4)\n")
    os.chmod(script, 0o755)
    assert "solve" in scripts(jostle, script)
