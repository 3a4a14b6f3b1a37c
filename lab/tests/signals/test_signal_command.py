"""`jostle signal` picks the program; the documentation of signals agrees with them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mpis import Mpi
from signal_runner import Signals, rows

from jostle import NativeMissingError
from jostle.errors import UsageError
from jostle.names.mpi_launchers import mpi_of_environment
from jostle_lab.signals import PATTERNS, program
from jostle_lab.signals.schema import BURSTS, END, HEADER, SLICES

ROOT = Path(__file__).resolve().parents[3]
JOSTLE = [sys.executable, "-m", "jostle.cli", "signal"]


def jostle(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PMI"))}
    return subprocess.run(
        [*JOSTLE, *words],
        env={**clean, "PYTHONPATH": str(ROOT / "src"), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_passes_everything_through(signals: Signals) -> None:
    done = jostle(*signals.words("cpu", "--iterations", "3", "--job", "mine"))
    assert done.returncode == 0, done.stderr
    (one,) = rows(signals.result(0, done.stderr))
    assert (one["job"], one["operations"], one["mpi"]) == ("mine", 3, None)
    assert one["arguments"][:3] == ["cpu", "--iterations", "3"]


def test_picks_the_program_of_the_launcher(signals: Signals, mpi: Mpi) -> None:
    words = signals.words("all-to-all", "--iterations", "3", "--chunk", "1KiB")
    env = {**os.environ, **mpi.environment, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        mpi.command(2, *JOSTLE, *words),
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [one["mpi"] for one in rows(signals.result(0, ""))] == [mpi.name] * 2


def test_environment_of_launchers() -> None:
    assert mpi_of_environment({}) is None
    assert mpi_of_environment({"OMPI_COMM_WORLD_SIZE": "4", "PMIX_RANK": "0"}) == "openmpi"
    assert mpi_of_environment({"PMI_RANK": "0", "PMI_SIZE": "4"}) == "mpich"
    assert mpi_of_environment({"SLURM_PROCID": "0"}) is None


def test_help_has_patterns_options_and_examples() -> None:
    for words in (["--help"], ["ping", "--help"], ["-h"]):
        done = jostle(*words)
        assert done.returncode == 0
        assert all(name in done.stdout for name in PATTERNS)
        assert "--until-stopped" in done.stdout and "jostle signal" in done.stdout
        assert all(len(line) <= 100 for line in done.stdout.splitlines())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Which PATTERN?"),
        (["pnig"], "Did you mean `ping`"),
        (["write"], "There is no pattern `write`"),
        (["cpu", "--tme", "3"], "--time"),
        (["cpu", "--time"], "--time needs a value"),
        (["cpu", "--volume", "1MiB"], "moves no bytes"),
        (["memory", "--chunk", "8"], "working set"),
        (["metadata", "--api", "mpiio"], "--api"),
    ],
)
def test_mistakes(words: list[str], said: str) -> None:
    done = jostle(*words)
    assert done.returncode == 2
    assert said in done.stderr and done.stdout == ""


def test_missing_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOSTLE_NATIVE", str(tmp_path))
    for mpi in (None, "openmpi"):
        with pytest.raises(NativeMissingError) as caught:
            program(mpi)
        assert caught.value.hint
    with pytest.raises(UsageError, match="no signal for the MPI `lam`"):
        program("lam")
    done = jostle("cpu", JOSTLE_NATIVE=str(tmp_path))
    assert done.returncode == 1 and "jostle-signal was not found" in done.stderr


def test_starting_imports_nothing_heavy() -> None:
    """Every rank of a job pays for what is imported before it becomes the program."""
    code = (
        "import sys; import jostle_lab.cli.commands.signal;"
        "heavy = {'rich', 'numpy', 'pyarrow', 'duckdb'} & set(sys.modules);"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_catalogue_is_that_of_the_program() -> None:
    said = subprocess.run([program(), "--help"], capture_output=True, text=True, check=True).stdout
    listed = re.findall(r"^  ([a-z][a-z-]*) +\S.*?(\(needs MPI\))?$", said, re.MULTILINE)
    assert {name: bool(mpi) for name, mpi in listed} == {
        p.name: p.needs_mpi for p in PATTERNS.values()
    }


def test_reference() -> None:
    """lab/docs/reference/signal.md has exactly the patterns, options and fields that there are."""
    text = (ROOT / "lab/docs/reference/signal.md").read_text()
    patterns, rest = text.split("## Patterns")[1].split("## Options")
    options, log = rest.split("## The log")
    assert re.findall(r"^\| `([a-z-]+)` \|", patterns, re.MULTILINE) == [
        *(p.name for p in PATTERNS.values() if p.resource == "files"),
        *(p.name for p in PATTERNS.values() if p.resource == "network"),
        *(p.name for p in PATTERNS.values() if p.resource == "node"),
        *(p.name for p in PATTERNS.values() if p.resource == "gpu"),
    ]
    said = subprocess.run([program(), "--options"], capture_output=True, text=True, check=True)
    known = set(re.findall(r"--([a-z][a-z-]*)", said.stdout)) | {"help", "version"}
    listed = " ".join(re.findall(r"^\| (`--.*?`) \|", options, re.MULTILINE))
    assert set(re.findall(r"`--([a-z-]+)", listed)) == known
    for kind, schema in (("signal", HEADER), ("burst", BURSTS), ("slice", SLICES), ("end", END)):
        part = log.split(f"**`{kind}`**")[1].split("\n**`")[0]
        cells = " ".join(re.findall(r"^\| (`.*?) \|", part, re.MULTILINE))
        names = set(re.findall(r"`(\w+)`", cells)) - {"version"}
        assert names == set(schema.names), kind


def test_fields_are_those_of_a_real_log(signals: Signals) -> None:
    signals.run("cpu", "--iterations", "2")
    (path,) = (signals.folder / "log").iterdir()
    schemas = {"signal": HEADER, "burst": BURSTS, "slice": SLICES, "end": END}
    for line in map(json.loads, path.read_text().splitlines()):
        kind = line.pop("type")
        line.pop("version", None)
        assert set(line) == set(schemas[kind].names), kind
