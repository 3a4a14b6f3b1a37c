"""Golden outputs of the verbs on the synthetic repository.

To renew after a wanted change: JOSTLE_RENEW=1 pytest tests/cli/test_looks.py, and look at the diff.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from pathlib import Path

import pytest
from command import jostle

from synth import Profile

GOLDEN = Path(__file__).with_name("golden")
CASES = {
    "help": ["--help"],
    "jobs": ["jobs"],
    "digest": ["digest", "tar-steady"],
    "digest-short": ["digest", "script"],
    "timeline": ["timeline", "tar-steady", "sqlite-bursts"],
    "timeline-level": ["timeline", "tar", "--metric", "os_rss_bytes"],
    "background": ["background", "tar-steady"],
    "background-alone": ["background", "script"],
    "unknown-verb": ["timelin"],
    "unknown-job": ["digest", "tar-stedy"],
    "unknown-metric": ["timeline", "tar", "--metric", "writes"],
    "unknown-option": ["jobs", "--colour"],
    "missing-argument": ["digest"],
    "bad-picture": ["timeline", "tar", "--plot", "picture.gif"],
}


def normal(text: str, repository: str) -> str:
    """Replaces the parts that differ from run to run."""
    text = text.replace(repository, "REPOSITORY")
    return re.sub(r"in [\d.]+ (ms|s)\b", "in TIME", text)


@pytest.mark.parametrize("name", CASES)
def test_golden(name: str, repository: str) -> None:
    done = jostle(*CASES[name], JOSTLE_REPOSITORY=repository)
    seen = f"exit status {done.code}\n---- stdout\n{done.out}---- stderr\n{done.err}"
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("JOSTLE_RENEW"):
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(normal(seen, repository))
    assert normal(seen, repository) == file.read_text()


@pytest.mark.in_turn
@pytest.mark.parametrize("width", ["60", "120"])
@pytest.mark.parametrize("verb", ["timeline", "background", "digest"])
def test_drawings_fit_the_width(width: str, verb: str, repository: str) -> None:
    done = jostle(verb, "tar-steady", COLUMNS=width, JOSTLE_REPOSITORY=repository)
    drawn = [line for line in done.out.splitlines() if re.search("[│└█]", line)]
    assert drawn
    assert max(map(len, drawn)) <= int(width)


def test_both_timelines_share_one_axis(repository: str) -> None:
    words = ("timeline", "tar-steady", "sqlite-bursts")
    out = jostle(*words, JOSTLE_REPOSITORY=repository).out
    assert out.count("└") == 1
    for heading in ("tar-steady", "sqlite-bursts"):
        assert heading in out
    assert "\nUTC " in out
    assert "slices of 500 ms" in out


def test_timeline_json_adds_up(repository: str) -> None:
    words = ("timeline", "tar-steady", "sqlite-bursts", "--json")
    content = json.loads(jostle(*words, JOSTLE_REPOSITORY=repository).out)
    steady, bursts = content["jobs"]
    written = {job["job"]: sum(job["series"][0]["values"]) for job in (steady, bursts)}
    assert written == {
        "tar-steady": 2 * sum((10 + i % 3) << 20 for i in range(40)),
        "sqlite-bursts": 14 * 64 << 20,
    }
    first = steady["series"][0]
    assert first["slice_ns"] == 500_000_000
    assert len(first["values"]) == 40
    assert first["start"] == "2023-11-14T22:13:20.000+00:00"


def test_background_json_is_the_sum_of_the_others(repository: str) -> None:
    words = ("background", "tar-steady", "--json")
    content = json.loads(jostle(*words, JOSTLE_REPOSITORY=repository).out)
    assert content["jobs"] == ["sqlite-bursts"]
    (place,) = content["background"]
    assert place["resource"] == "node1:/dev/sda1"
    assert sum(place["series"][0]["values"]) == 14 * 64 << 20


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("verb", "ending", "magic"),
    [
        (["timeline", "tar-steady", "sqlite-bursts"], "png", b"\x89PNG\r\n"),
        (["timeline", "tar-steady"], "pdf", b"%PDF"),
        (["background", "tar"], "svg", b"<?xml"),
    ],
)
def test_pictures_are_made(
    verb: list[str], ending: str, magic: bytes, repository: str, tmp_path: Path
) -> None:
    picture = tmp_path / f"chart.{ending}"
    done = jostle(*verb, "--plot", str(picture), JOSTLE_REPOSITORY=repository)
    assert done.code == 0, done.err
    assert f"saved: {picture}" in done.out
    data = picture.read_bytes()
    assert data.startswith(magic)
    assert len(data) > 8000


def test_an_unusable_picture_is_refused_before_any_work(repository: str, tmp_path: Path) -> None:
    where = str(tmp_path / "none" / "chart.png")
    done = jostle("timeline", "tar", "--plot", where, JOSTLE_REPOSITORY=repository)
    assert done.code == 2
    assert "mkdir -p" in done.err


def test_export_gives_files_and_keeps_what_is_there(repository: str, tmp_path: Path) -> None:
    file = tmp_path / "jobs.csv"
    words = ("export", "jobs", "--out", str(file))
    assert jostle(*words, JOSTLE_REPOSITORY=repository).code == 0
    assert file.read_text().startswith("job,")
    again = jostle(*words, JOSTLE_REPOSITORY=repository)
    assert again.code == 2
    assert "--force" in again.err
    assert jostle(*words, "--force", JOSTLE_REPOSITORY=repository).code == 0
    other = jostle("export", "tar", "-o", "tar.xlsx", JOSTLE_REPOSITORY=repository)
    assert other.code == 2 and not (tmp_path / "tar.xlsx").exists()
    assert "xlsx is not a format" in other.err and ".parquet, .csv, .json" in other.err
    file = tmp_path / "tar.json"
    report = jostle("export", "tar", "-o", str(file), "--json", JOSTLE_REPOSITORY=repository)
    assert json.loads(report.out)["rows"] == 160
    assert sum(row["mount"] is not None for row in json.loads(file.read_text())) == 80


def test_a_job_as_a_trace_for_perfetto(repository: str, tmp_path: Path) -> None:
    """Chrome's Trace Event Format: tracks per node and process, neighbours, counters of loads."""
    file = tmp_path / "trace.json"
    words = ("export", "tar-steady", "--format", "perfetto", "-o", str(file))
    done = jostle(*words, JOSTLE_REPOSITORY=repository)
    assert done.code == 0, done.err
    events = json.loads(file.read_text())["traceEvents"]
    assert f"{len(events):,} events" in done.out
    for event in events:
        assert event["ph"] in ("M", "X", "C") and isinstance(event["name"], str)
        assert isinstance(event["pid"], int) and isinstance(event["tid"], int)
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "thread_name") and event["args"]["name"]
        else:
            assert event["ts"] >= 1.7e15  # microseconds since the epoch
        if event["ph"] == "X":
            assert event["dur"] >= 0
        if event["ph"] == "C":
            assert all(isinstance(value, float) for value in event["args"].values())
    groups = {e["args"]["name"]: e["pid"] for e in events if e["name"] == "process_name"}
    (node,) = (name for name in groups if name.startswith("node "))
    runs = [e for e in events if e["ph"] == "X" and e["pid"] == groups[node]]
    assert [(run["name"], run["dur"]) for run in runs] == [
        ("/usr/bin/tar 100", 20e6),
        ("/usr/bin/tar 101", 20e6),
    ]
    alongside = [
        e for e in events if e["ph"] == "X" and e["pid"] == groups["other jobs alongside it"]
    ]
    assert [(each["name"], each["dur"]) for each in alongside] == [("sqlite-bursts", 16e6)]
    counters: dict[str, list[dict[str, float]]] = {}
    for event in events:
        if event["ph"] == "C":
            counters.setdefault(event["name"], []).append(event["args"])
    own = counters.pop("this job, all mounts (bytes/s)")
    assert sum(each["written"] for each in own) / 2 == 2 * sum(
        (10 + number % 3) << 20 for number in range(40)
    )
    (others,) = counters.values()
    assert max(each["written"] for each in others) == 128 << 20
    assert jostle(*words, JOSTLE_REPOSITORY=repository).code == 2  # it is there already
    part = jostle("export", "jobs", "--format", "perfetto", JOSTLE_REPOSITORY=repository)
    assert part.code == 2 and "`--format perfetto` exports a whole job." in part.err


def test_ingest_again_finds_nothing_new(spool: Path, repository: str) -> None:
    done = jostle("ingest", str(spool), JOSTLE_REPOSITORY=repository)
    assert done.code == 0
    assert "Nothing new in 4 profiles." in done.out


def test_compact_and_expire_say_what_they_did(spool: Path, tmp_path: Path) -> None:
    place = {"JOSTLE_REPOSITORY": str(tmp_path / "r")}
    assert jostle("ingest", str(spool), **place).code == 0
    done = jostle("repository", "compact", **place)
    assert done.code == 0
    assert "became" in done.out
    done = jostle("repository", "expire", "--older-than", "30d", **place)
    assert done.code == 1
    assert "No slices would be left" in done.err
    assert "clock" in done.err
    new = tmp_path / "new"
    begin = time.time_ns()
    made = Profile(job="new", start_ns=begin, heartbeat_ns=begin)
    made.add_slice(made.first_slice, {"os_user_ns": 5})
    made.write(new)
    assert jostle("ingest", str(new), **place).code == 0
    done = jostle("repository", "expire", "--older-than", "30d", "--json", **place)
    assert json.loads(done.out)["rows_removed"] > 0
    copy = shutil.copytree(spool, tmp_path / "copy")
    done = jostle("ingest", str(copy), "--remove", **place)
    assert "older than what the repository keeps" in done.err
    assert list(copy.glob("*.jst"))
    assert jostle("repository", "expire", "--older-than", "soon", **place).code == 2


def test_metric_names_complete_in_the_shell() -> None:
    done = jostle(
        _JOSTLE_COMPLETE="bash_complete",
        COMP_WORDS="jostle timeline --metric posix_w",
        COMP_CWORD="3",
    )
    assert "plain,posix_write_bytes" in done.out
    assert "os_" not in done.out


def test_follow_publishes_and_ends_in_order(spool: Path, tmp_path: Path) -> None:
    import signal
    import subprocess
    import sys

    from command import ROOT

    environment = {
        **os.environ,
        "JOSTLE_REPOSITORY": str(tmp_path / "r"),
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONUNBUFFERED": "1",
    }
    words = [sys.executable, "-m", "jostle.cli", "ingest", "--follow", str(spool)]
    with subprocess.Popen(
        words, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("Following")
        assert "process-slices" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Ended:" in out
