"""Help, mistakes, JSON, colour and pipes."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from command import ROOT, jostle, plain, python

from jostle.cli.main import all_verbs, main

LOOKING = (
    ["jobs"],
    ["digest", "tar-steady"],
    ["timeline", "tar-steady", "sqlite-bursts"],
    ["background", "tar-steady"],
    ["neighbours", "tar-steady"],
    ["interference", "tar-steady"],
    ["matrix"],
)


def test_help_names_every_verb() -> None:
    done = jostle("--help")
    assert done.code == 0
    for verb in all_verbs():
        assert f"\n  {verb} " in done.out


@pytest.mark.in_turn
@pytest.mark.parametrize("verb", all_verbs())
def test_every_verb_has_help(verb: str) -> None:
    done = jostle(verb, "--help")
    assert done.code == 0
    assert done.out.startswith(f"Usage: jostle {verb}")


def test_help_is_quick_and_imports_nothing_heavy() -> None:
    code = (
        "import sys; from jostle.cli import main; main(['--help']);"
        "heavy = {'rich', 'numpy', 'pyarrow', 'duckdb', 'matplotlib'} & set(sys.modules);"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = python(code)
    assert done.code == 0, done.err
    best = min(_seconds("--help") for _ in range(3))
    assert best < 0.3


def _seconds(*words: str) -> float:
    """The limit is CPU time: waiting for a core does not count."""
    begin = resource.getrusage(resource.RUSAGE_CHILDREN)
    jostle(*words, afresh=True)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime


@pytest.mark.parametrize(
    ("typed", "meant"), [("timelin", "timeline"), ("jbos", "jobs"), ("ingst", "ingest")]
)
def test_unknown_verb_gets_a_suggestion(typed: str, meant: str) -> None:
    done = jostle(typed)
    assert done.code == 2
    assert f"There is no verb `{typed}`." in done.err
    assert f"Did you mean `{meant}`" in done.err
    assert done.out == ""


def test_forgotten_run_gets_a_suggestion() -> None:
    done = jostle("ls", "-l")
    assert done.code == 2
    assert "`jostle run -- ls -l`" in done.err


def test_an_option_without_its_value_leads_to_the_verbs_help() -> None:
    done = jostle("estimate", "last", "--plot")
    assert done.code == 2
    assert "fix: See `jostle estimate --help`." in done.err


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["run", "--gate", "7,5", "--", "ls"], "'7,5' is not a number, such as 7.5."),
        (["overhead", "--runs", "3.5", "--", "ls"], "'3.5' is not a whole number."),
    ],
)
def test_what_is_no_number_is_said_in_plain_words(
    words: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert meant in capsys.readouterr().err


def test_unknown_job_gets_the_nearest_names(repository: str) -> None:
    done = jostle("digest", "tar-stedy", "--repository", repository)
    assert done.code == 2
    assert "tar-stedy" in done.err
    assert "tar-steady" in done.err
    assert "jostle jobs" in done.err


def test_unknown_metric_gets_the_nearest_names(repository: str) -> None:
    done = jostle("timeline", "tar", "--metric", "posix_write_byte", "--repository", repository)
    assert done.code == 2
    assert "`posix_write_bytes`" in done.err


def test_missing_spool(tmp_path: Path) -> None:
    done = jostle("ingest", str(tmp_path / "none"), "--repository", str(tmp_path / "r"))
    assert done.code == 2
    assert "does not exist" in done.err
    assert "fix:" in done.err
    assert not (tmp_path / "r").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody else")
def test_unreadable_spool_names_its_owner(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.mkdir(mode=0o700)
    code = (
        "import os, sys; from pathlib import Path;"
        "from jostle.cli.config import check_readable, SpoolError;"
        "os.setgid(65534); os.setuid(65534)\n"
        f"try: check_readable(Path({str(spool)!r}))\n"
        "except SpoolError as e: print(e, '|', e.hint)"
    )
    for folder in (tmp_path, *tmp_path.parents):
        if str(folder) != "/" and folder.stat().st_uid == 0 and "pytest" in str(folder):
            folder.chmod(0o755)
    done = python(code)
    assert "belongs to root (drwx------) and you are nobody" in done.out, done.err
    assert "sudo -u root jostle ingest" in done.out


def test_no_repository_is_an_empty_state_not_an_error(tmp_path: Path) -> None:
    done = jostle("jobs", "--repository", str(tmp_path / "none"))
    assert done.code == 0
    assert "No job is recorded yet" in done.out
    assert "jostle run -- CMD" in done.err


def test_empty_spool_is_an_empty_state(tmp_path: Path) -> None:
    done = jostle("ingest", str(tmp_path), "--repository", str(tmp_path / "r"))
    assert done.code == 0
    assert "No profiles in" in done.out


@pytest.mark.in_turn
@pytest.mark.parametrize("words", LOOKING, ids=lambda words: words[0])
def test_json_is_one_document_and_nothing_else(words: list[str], repository: str) -> None:
    done = jostle(*words, "--json", "--repository", repository)
    assert done.code == 0, done.err
    json.loads(done.out)
    assert done.err == ""


def test_json_errors_are_json(repository: str) -> None:
    done = jostle("digest", "none", "--json", "--repository", repository)
    error = json.loads(done.err)["error"]
    assert done.code == error["exit_code"] == 2
    assert error["fix"]


# All that the others say is kept in golden/.
@pytest.mark.parametrize("words", LOOKING[-3:], ids=lambda words: words[0])
def test_pipes_get_neither_escapes_nor_blank_ends_and_a_next_command(
    words: list[str], repository: str
) -> None:
    done = jostle(*words, "--repository", repository)
    assert "\x1b" not in done.out + done.err
    assert all(line == line.rstrip() for line in done.out.splitlines())
    assert done.err.startswith("next: jostle ")
    assert f"--repository {repository}" in done.err


def test_ascii_terminals_get_ascii(repository: str) -> None:
    """The output of all of them in one Python that starts for such a terminal."""
    code = (
        "import json, sys; from jostle.cli.main import main\n"
        "for words in json.loads(sys.argv[1]):\n"
        "    print('verb', words[0], flush=True)\n"
        "    print('status', main([*words, '--repository', sys.argv[2]]), flush=True)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(LOOKING), repository],
        env=plain() | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    said = done.stdout.decode("ascii")
    assert done.returncode == 0, done.stderr
    assert said.count("\nstatus 0\n") == said.count("status") == len(LOOKING), done.stderr
    for text in said.split("verb ")[1:]:
        assert len(text.splitlines()) > 3, text


def test_terminal_has_colour_unless_switched_off(repository: str) -> None:
    assert "\x1b[" in _in_terminal(["jobs", "--repository", repository], {})
    assert "\x1b[" not in _in_terminal(["jobs", "--repository", repository], {"NO_COLOR": "1"})


def _in_terminal(words: list[str], environment: dict[str, str]) -> str:
    """Run in a pseudo terminal and return what it showed."""
    code = "import pty, sys; pty.spawn([sys.executable, '-m', 'jostle.cli', *sys.argv[1:]])"
    clean = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    clean |= {"PYTHONPATH": str(ROOT / "src"), "TERM": "xterm-256color", "PYTHONUTF8": "1"}
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, env=clean | environment, capture_output=True, check=False
    )
    return done.stdout.decode(errors="replace")


def test_a_closed_pipe_is_no_trouble(repository: str) -> None:
    command = f"{sys.executable} -m jostle.cli jobs --json --repository {repository} | head -c 1"
    done = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert "Traceback" not in done.stderr
    assert "Broken" not in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody else")
def test_other_peoples_profiles_are_one_sentence(spool: Path, tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path;"
        "from jostle.cli.config import foreign_profiles; os.setgid(65534); os.setuid(65534);"
        "print(foreign_profiles([Path(sys.argv[1])]))"
    )
    for folder in (spool, *spool.parents):
        if "pytest" in str(folder):
            folder.chmod(0o755)
    assert python(code, str(spool)).out == "{'root': 4}\n"


def test_a_closed_place_names_its_owner() -> None:
    code = (
        "from jostle.cli.main import _closed;"
        "print(*_closed(PermissionError(13, 'no', '/root/x/y')), sep='|')"
    )
    message, fix = python(code).out.split("|")
    assert message.startswith("/root/x/y cannot be reached: /")
    assert " belongs to " in message
    assert "--repository" in fix
