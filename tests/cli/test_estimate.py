"""Output of estimates and comparisons: golden texts, JSON, files, mistakes.

The estimates are made by hand (tests/plot/estimates.py), so that a better engine changes nothing
here. To renew: JOSTLE_RENEW=1 pytest tests/cli/test_estimate.py, and look at the diff.
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from command import Done, jostle

import ready
from jostle.analysis.estimation.model import CauseName
from jostle.analysis.interval import Interval
from jostle.cli import output
from jostle.cli.views.estimate import _causes
from jostle.report.verdict.verdict import CauseRow

STUB = Path(__file__).with_name("estimate_stub.py")
GOLDEN = Path(__file__).with_name("golden")
CASES = {
    "estimate": ["estimate", "heads"],
    "estimate-clean": ["estimate", "clean"],
    "estimate-no-mpi": ["estimate", "ftq"],
    "estimate-not-assessed": ["estimate", "short"],
    "estimate-may-be-lost": ["estimate", "wide"],
    "estimate-unknown": ["estimate", "haeds"],
    "estimate-bad-export": ["estimate", "heads", "--export", "hits.txt"],
    "compare": ["compare", "heads-1", "heads-2"],
    "compare-groups": ["compare", "old-run-*", "new-run-?"],
    "compare-baseline": ["compare", "heads-1", "heads-2", "--baseline", "heads-1"],
    "compare-markdown": ["compare", "old-run-*", "new-run-*", "--markdown"],
    "compare-one": ["compare", "heads", "heads"],
}


def environment() -> dict[str, str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("JOSTLE", "NO_COLOR"))}
    if "JOSTLE_NATIVE" in os.environ:
        clean["JOSTLE_NATIVE"] = os.environ["JOSTLE_NATIVE"]
    return clean | {"TZ": "UTC", "PYTHONUTF8": "1"}


def stub(*words: str, stdin: Path | None = None, **more: str) -> Done:
    """Run a command with estimates made by hand; its imports are done already."""
    variables = environment() | {"COLUMNS": "100", "PYTHONPATH": str(ready.ROOT / "src")} | more
    return ready.run(words, variables, program=STUB, stdin=stdin)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for files of the commands."""
    return tmp_path_factory.mktemp("estimates")


@pytest.fixture(scope="module")
def outputs(place: Path) -> dict[str, Done]:
    """The outputs of all commands of this module, from one process."""
    (place / "file").touch()
    asked: dict[str, tuple[list[str], int, str]] = {
        name: (words, 100, "utf-8") for name, words in CASES.items()
    }
    heads = ["estimate", "heads"]
    asked |= {
        "ascii": (heads, 100, "ascii"),
        "60": (heads, 60, "utf-8"),
        "80": (heads, 80, "utf-8"),
        "json": ([*heads, "--json"], 100, "utf-8"),
        "short json": (["estimate", "short", "--json"], 100, "utf-8"),
        "oversubscribed": (["estimate", "oversubscribed"], 200, "utf-8"),
        "oversubscribed json": (["estimate", "oversubscribed", "--json"], 100, "utf-8"),
        "compare json": (["compare", "heads-1", "heads-2", "--json"], 100, "utf-8"),
        "events": ([*heads, "--export", str(place / "hits.json")], 100, "utf-8"),
        "csv": (["estimate", "ftq", "--export", str(place / "hits.csv")], 100, "utf-8"),
        "plot": ([*heads, "--plot", str(place / "plot"), "--json"], 100, "utf-8"),
        "groups json": (["compare", "old-run-*", "new-run-*", "--json"], 100, "utf-8"),
        "two markdown": (["compare", "heads-1", "heads-2", "--markdown"], 100, "utf-8"),
        "no match": (["compare", "alt-*", "heads"], 100, "utf-8"),
        "both forms": (["compare", "heads-1", "heads-2", "--json", "--markdown"], 100, "utf-8"),
        "compare 80": (["compare", "heads-1", "heads-2"], 80, "utf-8"),
        "compare plot": (
            ["compare", "heads-1", "heads-2", "--plot", str(place / "plot")],
            100,
            "utf-8",
        ),
        "no folder": ([*heads, "--plot", str(place / "file")], 100, "utf-8"),
        "bytes": ([*heads, "--bytes", "median"], 100, "utf-8"),
        "compare bytes": (["compare", "heads-1", "heads-2", "--bytes", "exact"], 100, "utf-8"),
        "thesis bytes": ([*heads, "--method", "thesis", "--bytes", "ignore"], 100, "utf-8"),
        "unlike": (["compare", "heads-1", "ftq"], 100, "utf-8"),
        "no file": ([*heads, "--export", "/proc/a.csv"], 100, "utf-8"),
        "no pictures": ([*heads, "--plot", "/proc"], 100, "utf-8"),
        "no place": ([*heads, "--export", str(place / "none" / "a.csv")], 100, "utf-8"),
    }
    batch = [
        {"words": words, "columns": columns, "encoding": encoding}
        for words, columns, encoding in asked.values()
    ]
    (place / "batch").write_text(json.dumps(batch))
    done = stub("--batch", stdin=place / "batch")
    assert done.code == 0, done.err
    return {name: Done(*seen) for name, seen in zip(asked, json.loads(done.out), strict=True)}


@pytest.mark.parametrize("name", CASES)
def test_golden(name: str, outputs: dict[str, Done]) -> None:
    done = outputs[name]
    seen = f"exit status {done.code}\n---- stdout\n{done.out}---- stderr\n{done.err}"
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("JOSTLE_RENEW"):
        file.write_text(seen)
    assert seen == file.read_text()


def test_bytes_belong_to_method_thesis(outputs: dict[str, Done]) -> None:
    for name in ("bytes", "compare bytes"):
        assert outputs[name].code == 2
        assert "fix: --method thesis --bytes" in outputs[name].err
    assert outputs["thesis bytes"].code == 0, outputs["thesis bytes"].err


def test_runs_of_different_things_are_said_to_be_so(outputs: dict[str, Done]) -> None:
    done = outputs["unlike"]
    assert done.code == 0, done.err
    assert "note: These are not runs of one program: heads-1 heads, ftq ftq." in done.out


def test_groups_of_runs_are_compared_with_an_interval(outputs: dict[str, Done]) -> None:
    """Patterns are groups; the ratio of their means has an interval from three runs on."""
    times = json.loads(outputs["groups json"].out)["run_times"]
    assert (times["baseline"], times["baseline_group"]) == ("new-run-1", "new-run-*")
    old, new = times["groups"]
    assert (old["group"], old["runs"], old["mean_s"], old["std_s"]) == ("old-run-*", 3, 32, 1)
    assert old["ratio"] == pytest.approx(32 / 22) and old["low"] < old["ratio"] < old["high"]
    assert (new["ratio"], new["low"]) == (1, None)
    assert outputs["compare-markdown"].out.splitlines()[1] == "|:---|---:|---:|---:|---:|---:|---:|"


def test_two_runs_have_ratios_and_no_interval(outputs: dict[str, Done]) -> None:
    times = json.loads(outputs["compare json"].out)["run_times"]
    assert [run["ratio"] for run in times["runs"]] == [pytest.approx(1.389, abs=1e-3), 1]
    assert all(group["low"] is None and group["std_s"] is None for group in times["groups"])
    assert outputs["two markdown"].out.splitlines() == [
        "| Run | Run time | Ratio | Interference | Light |",
        "|:---|---:|---:|---:|---:|",
        "| heads-1 | 90.8 s | 1.39 | 27 % ± 3 | red |",
        "| heads-2 | 65.4 s | 1.00 | 0 % | green |",
    ]


def test_what_compare_refuses(outputs: dict[str, Done]) -> None:
    assert outputs["no match"].code == 2 and "No job matches `alt-*`." in outputs["no match"].err
    assert outputs["both forms"].code == 2
    assert "`--markdown` and `--json` exclude each other." in outputs["both forms"].err


def test_the_verdict_is_the_first_line(outputs: dict[str, Done]) -> None:
    first = outputs["estimate"].out.replace("\n  ", " ").splitlines()[0]  # wrapped
    for words in (
        "red",
        "27 % ± 3",
        "file system",
        "6.18 s by job writer (root)",
        "in 17 of 51 slices that lost time (22:13:32",
        "18.5 s explained by no profiled job",
    ):
        assert words in first


def test_ascii_terminals_get_ascii(outputs: dict[str, Done]) -> None:
    done = outputs["ascii"]
    assert done.out.startswith("red  heads lost 27 % +- 3")
    assert "?" not in done.out


def test_colour_is_for_terminals() -> None:
    code = "import pty, sys; pty.spawn([sys.executable, *sys.argv[1:]])"
    words = [sys.executable, "-c", code, str(STUB), "estimate", "heads"]
    plain = environment() | {"TERM": "xterm-256color"}
    for more, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
        out = subprocess.run(
            words, env=plain | more, stdin=subprocess.DEVNULL, check=False, capture_output=True
        ).stdout.decode()
        assert ("\x1b[1;31m● red" in out) == coloured
        assert "red" in out


@pytest.mark.parametrize("width", ["60", "80"])
def test_it_fits_the_width(width: str, outputs: dict[str, Done]) -> None:
    drawn = [line for line in outputs[width].out.splitlines() if re.search("[│└█─]", line)]
    assert len(drawn) >= 5
    assert max(map(len, drawn)) <= int(width)


def test_a_narrow_comparison_has_all_pieces_of_the_difference(outputs: dict[str, Done]) -> None:
    rows = {line.split()[0] for line in outputs["compare 80"].out.splitlines() if "  " in line}
    assert rows >= {"measured", "estimated", "displaced", "work", "unexplained"}


def test_json_has_it_all(outputs: dict[str, Done]) -> None:
    assert outputs["json"].err == ""
    content = json.loads(outputs["json"].out)
    assert content["light"] == "red"
    assert content["percent"]["low"] < content["percent"]["value"] < content["percent"]["high"]
    assert {cause["cause"] for cause in content["causes"]} == {"file system", "network"}
    assert content["interference"]["suspects"][0]["job"] == "writer"
    named = content["attribution"]
    assert named["lost_s"] == content["head"]["lost_s"]
    assert named["suspects"][0]["share"] + named["unexplained_share"] == pytest.approx(1)
    assert named["unexplained_s"]["value"] == pytest.approx(0.75 * content["lost_s"]["value"])
    assert (named["suspect_slices"], named["lost_slices"]) == (17, 51)
    assert content["figures"] == []
    assert len(content["hits"]) == sum(one["hit"] for one in content["clusters"])
    content = json.loads(outputs["compare json"].out)
    assert content["baseline"] == 1
    assert [one["job"] for one in content["estimates"]] == ["heads-1", "heads-2"]


def test_an_undecided_run_has_no_light_for_programs_either(outputs: dict[str, Done]) -> None:
    content = json.loads(outputs["short json"].out)
    assert (content["assessed"], content["light"], content["probability"]) == (False, None, None)
    assert content["advice"] == "cannot be called fit"
    assert content["undecided"] == "only 30 % of its time could be evaluated"
    assert content["decided_by"].startswith("a longer run")
    head = content["head"]
    assert (head["light"], head["undecided"]) == (None, content["undecided"])


def test_neighbours_that_explain_more_than_the_run_shows_decide(outputs: dict[str, Done]) -> None:
    """With a neighbour all the time no part of the run is undisturbed: its light is not green."""
    lines = outputs["oversubscribed"].out.splitlines()
    assert lines[0].startswith(
        "● red  oversubscribed lost 38 % ± 4 of its time: file system, by job writer"
    )
    assert "by job writer (root), in 17 slices" in lines[0]
    assert lines[1].startswith("unfit for comparing; repeat it. 24.7 s")
    assert any("the run by itself shows a loss of 0 s" in line for line in lines)
    content = json.loads(outputs["oversubscribed json"].out)
    assert (content["light"], round(content["percent"]["value"])) == ("red", 38)
    assert content["causes"][0]["how"] == "neighbours"


def test_what_it_was_of_the_cpu_is_said_in_the_same_words_everywhere() -> None:
    """The page shows `what` of the head; the terminal's table comes from the same words."""
    sys.path.insert(0, str(STUB.parents[1] / "plot"))
    import estimates

    from jostle.analysis.estimation.model import Cause
    from jostle.report.verdict.verdict import cause_rows, head

    run = estimates.ftq()
    for kind, words in (
        ("core speed", "CPU, slower cores"),
        ("steal", "CPU, steal time"),
        ("", "CPU"),
    ):
        cause = Cause("cpu", "node1", run.lost_s, "measured", kind)  # type: ignore[arg-type]
        made = estimates.plain(run, causes=[cause])
        assert head(made).what == words
        assert next(iter(_causes(cause_rows(made, {})).columns[0].cells)) == words
    assert head(estimates.heads(disturbed=False)).what == ""


@pytest.mark.parametrize(("second", "distinguished"), [("cpu", True), ("network", False)])
def test_causes_of_the_same_name_are_distinguished_in_a_narrow_terminal(
    second: CauseName, distinguished: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    output.console.cache_clear()
    seconds = Interval(1.0, 0.5, 1.5)
    rows = [
        CauseRow("cpu", "node1", seconds, 0.1, "measured"),
        CauseRow(second, "node1", seconds, 0.1, "inferred"),
    ]
    assert ("how" in [column.header for column in _causes(rows).columns]) == distinguished
    output.console.cache_clear()


@pytest.mark.parametrize(("percent", "cause"), [(0.4, None), (0.7, "cpu")])
def test_a_cause_is_named_from_half_a_percent_on(percent: float, cause: str | None) -> None:
    """The page calls a run undisturbed where the head names no cause; there is no other rule."""
    sys.path.insert(0, str(STUB.parents[1] / "plot"))
    import estimates

    from jostle.analysis.estimation.model import Cause
    from jostle.analysis.interval import Interval
    from jostle.report.verdict.verdict import head

    run = estimates.ftq()
    causes = [Cause("cpu", "node1", run.lost_s, "measured", "")]
    made = replace(estimates.plain(run, causes=causes), percent=Interval(percent, percent, percent))
    assert head(made).cause == cause


def test_intervals_for_trace_tools(outputs: dict[str, Done], place: Path) -> None:
    file, done = place / "hits.json", outputs["events"]
    assert f"intervals with lost time: {file}" in done.out
    events = json.loads(file.read_text())["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    names = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
    assert len(spans) == int(done.out.split(" intervals with lost time")[0].splitlines()[-1]) + 1
    assert {"network MPI", "file system sshfs:storage.lab:/"} <= set(names.values())
    for event in spans:
        assert set(event) == {"ph", "name", "cat", "pid", "tid", "ts", "dur", "args"}
        assert abs(event["ts"] / 1e6 - 1_700_000_000) < 200
        assert event["dur"] > 0


def test_intervals_that_overlap_have_tracks_of_their_own() -> None:
    from jostle.analysis.estimation.model import Hit
    from jostle.report.models.job.job_trace import lanes_of

    hits = [Hit(start, start + 10, 1.0, "cpu", "", -1) for start in (0, 5, 10, 12, 14, 20)]
    ends: dict[int, int] = {}
    placed = zip(hits, lanes_of(hits), strict=True)
    for hit, lane in sorted(placed, key=lambda one: one[0].start_ns):
        assert hit.start_ns >= ends.get(lane, 0)
        ends[lane] = hit.end_ns
    assert len(ends) == 4


def test_intervals_as_csv(outputs: dict[str, Done], place: Path) -> None:
    assert outputs["csv"].code == 0
    with (place / "hits.csv").open(newline="") as source:
        rows = list(csv.DictReader(source))
    assert [row["cause"] for row in rows] == ["cpu"] * 3
    assert rows[0]["start"] == "2023-11-14T22:13:23.000+00:00"
    assert rows[0]["cluster"] == ""


def test_unusable_files_are_refused_before_any_work(outputs: dict[str, Done]) -> None:
    assert (outputs["no folder"].code, outputs["no folder"].out) == (2, "")
    assert outputs["no place"].code == 2
    assert "mkdir -p" in outputs["no place"].err
    assert outputs["no file"].code == 2
    assert "/proc/a.csv cannot be written" in outputs["no file"].err
    assert outputs["no pictures"].code != 0
    assert "broke" not in outputs["no pictures"].err


def test_figures_are_drawn(outputs: dict[str, Done]) -> None:
    figures = json.loads(outputs["plot"].out)["figures"]
    stems = [Path(figure["files"][0]).stem for figure in figures]
    assert stems == [
        "lost-time",
        "segments-in-time",
        "segments-histograms",
        "clusters-spread",
        "clusters-sizes",
        "cluster-4-in-time",
        "cluster-4-histograms",
        "cluster-3-in-time",
        "cluster-3-histograms",
    ]
    for figure in figures:
        picture, table = map(Path, figure["files"])
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert picture.stat().st_size > 15_000
        assert len(table.read_text().splitlines()) > 3
    assert "2 figures in" in outputs["compare plot"].out
    assert "clusters-of-the-runs.png" in outputs["compare plot"].out


def test_real_jobs_have_a_verdict(repository: str) -> None:
    """All texts of the engine are printed."""
    done = jostle("estimate", "tar-steady", JOSTLE_REPOSITORY=repository)
    assert done.code == 0, done.err
    assert "tar-steady lost" in done.out.splitlines()[0]
    assert done.err.startswith("next: jostle ")
    done = jostle("estimate", "tar-steady", "--json", JOSTLE_REPOSITORY=repository)
    assert json.loads(done.out)["job"] == "tar-steady"
    assert jostle("estimate", "tar-stedy", JOSTLE_REPOSITORY=repository).code == 2


def test_a_spool_needs_no_repository(spool: Path, tmp_path: Path) -> None:
    nowhere = {"JOSTLE_REPOSITORY": str(tmp_path / "none")}
    done = jostle("estimate", "--spool", str(spool), "tar-steady", **nowhere)
    assert done.code == 0, done.err
    assert "tar-steady lost" in done.out
    assert done.err == f"next: jostle ingest {spool}\n"
    assert not (tmp_path / "none").exists()
    assert jostle("estimate", "--spool", str(spool), "lake", **nowhere).code == 2
