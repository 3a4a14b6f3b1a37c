"""`jostle run --gate`: exit statuses, retries, and its output for CI jobs.

The runs are real; what their estimates say is set by the test (estimate_stub.py), but for the last.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as Xml
from pathlib import Path

import pytest
import yaml
from command import ROOT, Done, jostle
from test_estimate import STUB, environment, stub


@pytest.fixture(autouse=True)
def _needs_runtime(library: Path) -> None:
    """Fail clearly without libjostle.so."""


def gate(folder: Path, *words: str, percent: str, stdin: str = "") -> Done:
    """Run a command that writes a little behind a gate of 7.5 %."""
    (folder / "input").write_text(stdin)
    code = f"cd {folder}; cat; echo out $JOSTLE_ATTEMPT; echo x >>tries; "
    code += "head -c 200000 /dev/zero >data"
    more = {"STUB_PERCENT": percent, "JOSTLE_REPOSITORY": str(folder / "repository")}
    words = ("run", "--gate", "7.5", *words, "--", "sh", "-c", code)
    return stub(*words, stdin=folder / "input", **more)


def tries(folder: Path) -> int:
    return len((folder / "tries").read_text().splitlines())


def test_a_clean_run_passes(tmp_path: Path) -> None:
    done = gate(tmp_path, "--job", "one", percent="3")
    assert (done.code, done.out) == (0, "out 1\n"), done.err
    assert "green  one lost 3.0 % of its time" in done.err
    assert "gate: clean: at most 7.5 % was lost" in done.err
    assert done.err.splitlines()[-2] == "next: jostle estimate one"


def test_a_disturbed_run_is_repeated_until_it_is_clean(tmp_path: Path) -> None:
    """Each run has its own verdict and name, and reads the same standard input."""
    words = ("--job", "n", "--retries", "5", "--output-of", "all")
    done = gate(tmp_path, *words, percent="31,12,2", stdin="in\n")
    assert (done.code, done.out) == (0, "in\nout 1\nin\nout 2\nin\nout 3\n"), done.err
    assert tries(tmp_path) == 3
    assert "gate: too disturbed: more than 7.5 % was lost; run 1 of 6, once more" in done.err
    assert "red  n lost 31 %" in done.err
    assert done.err.count("next:") == 1
    assert "yellow  n-2 lost 12 %" in done.err
    assert "green  n-3 lost 2.0 %" in done.err


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("percent", "code", "out"),
    [("31,12,2", 0, "in\nout 3\n"), ("31", 3, "in\nout 3\n"), ("31,fail", 4, "in\nout 2\n")],
)
def test_a_result_is_that_of_one_attempt(tmp_path: Path, percent: str, code: int, out: str):
    """The output of a rejected attempt does not precede that of the accepted one."""
    done = gate(tmp_path, "--retries", "2", percent=percent, stdin="in\n")
    assert (done.code, done.out) == (code, out), done.err


@pytest.mark.in_turn
def test_what_a_failing_attempt_wrote_is_there(tmp_path: Path) -> None:
    words = ("run", "--gate", "5", "--retries", "3", "--", "sh", "-c")
    place = {"JOSTLE_REPOSITORY": str(tmp_path / "r"), "STUB_PERCENT": "50,2"}
    done = stub(*words, "echo $JOSTLE_ATTEMPT; [ $JOSTLE_ATTEMPT = 1 ] || exit 9", **place)
    assert (done.code, done.out) == (9, "2\n"), done.err


@pytest.mark.in_turn
def test_output_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    words = ("run", "--gate", "5", "--retries", "3", "--", "echo", "result")
    place = {"JOSTLE_REPOSITORY": str(tmp_path / "r"), "STUB_PERCENT": "2"}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, str(STUB), *words],
            stdout=full,
            text=True,
            stderr=subprocess.PIPE,
            env=environment() | place,
        )
    assert done.returncode not in (0, 3, 4)
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.in_turn
@pytest.mark.parametrize(("percent", "code"), [("31", 70), ("fail", 71)])
def test_a_gate_has_the_status_that_one_wants(tmp_path: Path, percent: str, code: int) -> None:
    assert gate(tmp_path, "--gate-status", "70", percent=percent).code == code


def test_but_not_more_often_than_it_may(tmp_path: Path) -> None:
    done = gate(tmp_path, "--json", "--retries", "1", percent="31")
    assert (done.code, tries(tmp_path)) == (3, 2)
    lines = [json.loads(line)["gate"] for line in done.err.splitlines()]
    assert [(line["finding"], line["attempt"]) for line in lines] == [
        ("disturbed", 1),
        ("disturbed", 2),
    ]
    assert lines[1]["status"] == 3
    assert lines[0]["estimate"]["percent"]["value"] == 31


def test_a_failure_of_the_command_is_its_own(tmp_path: Path) -> None:
    words = ("run", "--gate", "5", "--retries", "3", "--", "sh", "-c")
    place = {"JOSTLE_REPOSITORY": str(tmp_path / "r"), "STUB_PERCENT": "50"}
    done = stub(*words, f"echo x >>{tmp_path}/tries; exit 77", **place)
    assert (done.code, tries(tmp_path)) == (77, 1)
    assert "gate:" not in done.err


def test_what_cannot_be_assessed_does_not_pass_and_is_not_repeated(tmp_path: Path) -> None:
    done = gate(tmp_path, "--retries", "3", percent="fail")
    assert (done.code, tries(tmp_path)) == (4, 1)
    assert "gate: undecided: The run is too short to be assessed." in done.err


def guide() -> str:
    return (ROOT / "docs/how-to/guard-a-performance-ci.md").read_text()


def pipeline(folder: Path, shell: str, script: str, percent: str, bench: int) -> Done:
    """Run a script of the guide as a pipeline does, with a benchmark that ends with `bench`."""
    programs = {
        "bench.sh": f"echo $JOSTLE_ATTEMPT; exit {bench}",
        "compare-with-baseline.sh": "cp $1 compared",
        "bin/jostle": f'exec {sys.executable} {STUB} "$@"',
    }
    (folder / "bin").mkdir()
    for name, line in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)
    own = {
        "STUB_PERCENT": percent,
        "JOSTLE_REPOSITORY": str(folder / "r"),
        "CI_COMMIT": "c0ffee",
        "CI_COMMIT_SHA": "c0ffee",
        "GITHUB_SHA": "c0ffee",
        "GITHUB_OUTPUT": str(folder / "output"),
        "PATH": f"{folder}/bin:{environment()['PATH']}",
    }
    done = subprocess.run(
        [shell, "-ec", script.replace("/opt/jostle/venv/bin/jostle", "jostle")],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=environment() | own,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("percent", "bench", "code", "compared"),
    [("31,2", 0, 0, "2\n"), ("31", 0, 75, None), ("fail", 0, 0, "1\n"), ("2", 9, 9, None)],
)
def test_the_script_of_the_guide_as_a_pipeline_runs_it(
    tmp_path: Path, percent: str, bench: int, code: int, compared: str | None
) -> None:
    """The script is in docs/how-to; pipelines run theirs with `sh -e`."""
    script = guide().split("## 3.")[1].split("```sh")[1].partition("\n")[2].partition("```")[0]
    done = pipeline(tmp_path, "sh", script, percent, bench)
    assert done.code == code, done.err
    result = tmp_path / "compared"
    assert (result.read_text() if result.exists() else None) == compared, done.err
    assert ("bench-c0ffee lost" in done.err) == (percent != "fail" and not bench)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("percent", "bench", "status"), [("2", 0, 0), ("31", 0, 3), ("fail", 0, 4), ("2", 9, 9)]
)
def test_the_jobs_of_the_guide(tmp_path: Path, percent: str, bench: int, status: int) -> None:
    """The job for GitHub passes with statuses 3 and 4, that for GitLab allows them."""
    found = re.findall(r"^```yaml save=\S+\n(.*?)^```$", guide(), re.MULTILINE | re.DOTALL)
    github, gitlab = (yaml.safe_load(text) for text in found)
    steps = {step.get("id"): step for step in github["jobs"]["benchmark"]["steps"]}
    (tmp_path / "github").mkdir()
    done = pipeline(tmp_path / "github", "bash", steps["gate"]["run"], percent, bench)
    assert done.code == (bench or 0), done.err
    assert (tmp_path / "github/output").read_text() == f"status={status}\n"
    (tmp_path / "gitlab").mkdir()
    job = gitlab["benchmark"]
    done = pipeline(tmp_path / "gitlab", "sh", "\n".join(job["script"]), percent, bench)
    assert done.code == status, done.err
    assert job["allow_failure"] == {"exit_codes": [3, 4]}
    assert (tmp_path / "gitlab/compared").exists() == (status == 0)


def test_nothing_recorded_does_not_pass(tmp_path: Path) -> None:
    done = jostle("run", "--gate", "5", "--", "true", JOSTLE="off")
    assert done.code == 4
    assert "nothing recorded" in done.err
    assert "gate: undecided: The run left no profile." in done.err


def test_a_command_too_short_to_be_assessed_does_not_pass(tmp_path: Path) -> None:
    done = jostle("run", "--gate", "5", "--", "true", JOSTLE_REPOSITORY=str(tmp_path / "r"))
    assert done.code == 4
    assert "gate: undecided: It ran for less than 0.5 s." in done.err


@pytest.mark.parametrize(
    ("lost", "coverage", "finding"),
    [
        ((7.5, 7.5, 7.5), 0.9, "clean"),
        ((7.6, 7.6, 7.6), 0.9, "disturbed"),
        ((4.0, 0.9, 7.6), 0.9, "clean"),
        ((7.4, 4.0, 11.0), 0.9, "undecided"),
        ((7.6, 4.0, 11.0), 0.9, "undecided"),
        ((12.0, 8.5, 15.5), 0.9, "disturbed"),
        ((2.0, 0.0, 4.0), 0.4, "undecided"),
        ((20.0, 10.0, 40.0), 0.4, "disturbed"),
        ((12.0, 0.0, 50.0), 0.4, "undecided"),
        ((5.0, 0.0, 67.0), 0.9, "undecided"),
    ],
)
def test_a_finding_is_as_sure_as_its_interval(
    lost: tuple[float, float, float], coverage: float, finding: str
) -> None:
    """A certain loss counts whatever the coverage; an uncertain one is undecided."""
    sys.path.insert(0, str(ROOT / "tests/plot"))
    import estimates

    from jostle.analysis.interval import Interval
    from jostle.report.verdict.gate import find

    made = estimates.plain(estimates.ftq(), percent=Interval(*lost), coverage=coverage)
    found = find(made, 7.5)
    assert found.finding == finding
    assert (found.sure is not None and found.sure >= 0.8) or finding == "undecided"
    if finding == "undecided":
        little = coverage < 0.5
        assert ("Only 40 % of its time could be evaluated." in found.why) == little
        assert ("What would decide it: " in found.why) == (not little)
        assert found.again == (not little)  # what cannot be assessed will not be the next time


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("--retries", "2"), "--gate 7.5 --retries 2"),
        (("--gate-status", "70"), "--gate 7.5 --gate-status 70"),
        (("--junit", "it.xml"), "--gate 7.5 --junit it.xml"),
        (("--annotate", "github"), "--gate 7.5 --annotate github"),
        (("--gate", "5", "--output-of", "all"), "--gate 7.5 --retries 2 --output-of all"),
    ],
)
def test_options_that_need_another(words: tuple[str, ...], hint: str) -> None:
    done = jostle("run", *words, "--", "true")
    assert done.code == 2
    assert hint in done.err


def test_a_real_run_is_assessed(tmp_path: Path) -> None:
    words = ("--slice", "100ms", "--gate", "100", "--", "sh", "-c")
    code = f"for i in 1 2 3 4 5 6; do head -c 3000000 /dev/zero >{tmp_path}/data; sleep 0.1; done"
    done = jostle("run", *words, code, JOSTLE_REPOSITORY=str(tmp_path / "r"))
    assert done.code in (0, 4), done.err  # a share of 100 is never exceeded
    assert ("gate: clean" in done.err) == (done.code == 0)


@pytest.mark.parametrize(
    ("percent", "end", "outcome", "level", "severities"),
    [
        ("2", 0, "system-out", "notice", []),
        ("31", 0, "skipped", "warning", ["info"]),
        ("fail", 0, "skipped", "warning", ["info"]),
        ("2", 9, "failure", "error", ["major"]),
    ],
)
def test_a_pipeline_gets_the_finding_in_its_own_form(
    tmp_path: Path, percent: str, end: int, outcome: str, level: str, severities: list[str]
) -> None:
    (tmp_path / "bench.sh").write_text(f"head -c 200000 /dev/zero >data; exit {end}\n")
    place = {"JOSTLE_REPOSITORY": str(tmp_path / "r"), "STUB_PERCENT": percent}
    statuses = set()
    for annotate in ("github", "gitlab"):
        words = ("run", "--job", "n", "--gate", "7.5", "--junit", "out/junit.xml")
        done = subprocess.run(
            [sys.executable, STUB, *words, "--annotate", annotate, "--", "sh", "bench.sh"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env=environment() | place,
        )
        statuses.add(done.returncode)
        (case,) = Xml.parse(tmp_path / "out/junit.xml").iter("testcase")
        assert case.attrib["name"] == "sh bench.sh"
        assert case[-1].tag == outcome, done.stderr
        assert ("::" in done.stderr) == (annotate == "github")
        if annotate == "github":
            file = "file=bench.sh,title=jostle run%3A sh bench.sh::"
            assert f"\n::{level} {file}" in done.stderr, done.stderr
    assert statuses == {end or {"2": 0, "31": 3, "fail": 4}[percent]}
    entries = json.loads((tmp_path / "gl-code-quality-report.json").read_text())
    assert [entry["severity"] for entry in entries] == severities
    assert all(entry["location"]["path"] == "bench.sh" for entry in entries)


def test_a_report_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    place = {"JOSTLE_REPOSITORY": str(tmp_path / "r"), "STUB_PERCENT": "2"}
    words = ("run", "--gate", "5", "--junit", "/dev/null/junit.xml", "--", "true")
    done = stub(*words, **place)
    assert done.code == 1
    assert "/dev/null/junit.xml cannot be written" in done.err
