"""The results of a real study, against what its programs really did."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from workplace import Workplace

from jostle.repository.errors import RepositoryError
from jostle_lab.analysis.study.published_laws import laws
from jostle_lab.signals import read_log
from jostle_lab.study.result import result

# A writer of known bytes at no more than a known pace: 120 chunks of 50 kB, 25 ms apart. It records
# when each was written: on a busy machine that is later, now here, now there.
WRITER = """
import json, os, sys, time
ends = []
with open(sys.argv[1] + "/data", "wb", 0) as data:
    for _ in range(120):
        data.write(bytes(50_000))
        ends.append(time.time())
        time.sleep(0.025)
with open(os.path.dirname(__file__) + "/" + os.environ["JOSTLE_JOB"], "w") as file:
    json.dump(ends, file)
"""
CHUNK = 50_000
VOLUME = 120 * CHUNK
STUDY = """
[study]
name = "found"
repetitions = 1
slice = "100ms"
[where]
place = "local"
settle = 0
[[program]]
name = "writer"
command = ["python3", "{writer}", "{{dir}}"]
role = "probe"
expect = "4s"
[[program]]
name = "fails"
command = ["sh", "-c", "exit 3"]
role = "signal"
expect = "1s"
[[program]]
name = "bursts"
pattern = "write-seek"
chunk = "4KiB"
flush = "none"
piece = 1024
period = "600ms"
time = "2s"
role = "signal"
[pairs]
mode = "probe"
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    folder = tmp_path_factory.mktemp("found")
    place = Workplace(folder)
    (folder / "writer.py").write_text(WRITER)
    path = place.write(STUDY.format(writer=folder / "writer.py"))
    code, _, err = place.study("run", str(path), "--repetitions", "1")
    assert code == 1, err  # one of its programs fails
    return place


def test_rates_are_those_of_the_program(ran: Workplace) -> None:
    found = result(ran.open(), "found")
    assert (found.study, found.place, found.slice_ns) == ("found", "local", 100_000_000)
    assert (found.runs, found.planned) == (5, 5)
    one = next(one for one in found.standalone if one.program == "writer")
    job = next(
        run["programs"][0]["job"]
        for run in ran.records("found")
        if [program["name"] for program in run["programs"]] == ["writer"]
    )
    reported = (ran.folder / job).read_bytes()
    assert one.volume == VOLUME + len(reported)
    ends = np.array(json.loads(reported))
    # Whole slices up to 90 % of the work: between the slowest and the fastest half a second or so
    # that the writer knows of, but for a chunk at either edge.
    paces = 20 * CHUNK / (ends[20:] - ends[:-20])
    assert one.rate.median is not None and one.overall.median is not None
    assert 0.9 * paces.min() < one.rate.median < 1.1 * paces.max()
    assert one.overall.median < VOLUME / (ends[-1] - ends[0])  # its run holds Python's start too
    trace = next(one for one in found.traces if one.probe == "writer" and not one.signal)
    assert sum(trace.probe_rate) * trace.slice_ns / 1e9 == pytest.approx(VOLUME + len(reported))
    json.dumps(found.to_json(), allow_nan=False)
    json.dumps([law.to_json() for law in laws(found)], allow_nan=False)


def test_a_pair_is_evaluated_and_a_failure_is_a_result(ran: Workplace) -> None:
    found = result(ran.open(), "found")
    cells = {(cell.probe, cell.signal): cell for cell in found.cells}
    assert set(cells) == {("writer", "fails"), ("writer", "bursts")}
    failed = cells["writer", "fails"].repetitions[0]
    assert failed.verdict == "failed" and "status 3" in failed.reason
    kept = cells["writer", "bursts"].repetitions[0]
    assert kept.verdict == "kept"
    assert kept.probe is not None and kept.probe.dilation is not None
    assert kept.signal is not None and kept.signal.dilation is None
    assert kept.probe.degradation is not None and kept.probe.degradation < 1
    assert {note.kind for note in found.notes} >= {"failed", "repetitions"}


def test_bursts_and_bytes_of_a_signal_are_those_of_its_log(ran: Workplace) -> None:
    found = result(ran.open(), "found")
    both = ["writer", "bursts"]
    run = next(
        one
        for one in ran.records("found")
        if [program["name"] for program in one["programs"]] == both
    )
    log = read_log(_logs(ran, run["programs"][1]["log"]))
    trace = next(one for one in found.traces if one.signal == "bursts")
    reported = [
        (round(trace.start_ns + begin * 1e9), round(trace.start_ns + end * 1e9))
        for begin, end in trace.bursts
    ]
    logged = [(row["begin_ns"], row["end_ns"]) for row in log.bursts.to_pylist()]
    assert np.array(reported) == pytest.approx(np.array(logged), abs=2000)
    written = sum(row["bytes"] for row in log.processes.to_pylist())
    seen = sum(trace.signal_rate) * trace.slice_ns / 1e9
    assert seen == pytest.approx(written, rel=0.01)
    assert [one.source for one in found.imprints] == ["log"]


def _logs(ran: Workplace, log: str) -> Path:
    return ran.repository / "studies" / "found" / log


def test_part_of_a_study_and_none(ran: Workplace, tmp_path: Path) -> None:
    path = ran.repository / "studies/found/runs.jsonl"
    whole = path.read_text()
    try:
        path.write_text(whole.splitlines(keepends=True)[0])
        found = result(ran.open(), "found")
    finally:
        path.write_text(whole)
    assert (found.runs, found.planned, found.cells) == (1, 5, [])
    assert "missing" in {note.kind for note in found.notes}
    with pytest.raises(RepositoryError, match="no study `other`"):
        result(ran.open(), "other")


def test_a_log_that_is_gone_leaves_the_rule_of_the_period(ran: Workplace) -> None:
    folder = ran.repository / "studies/found/logs"
    aside = folder.with_name("aside")
    folder.rename(aside)
    try:
        found = result(ran.open(), "found")
    finally:
        aside.rename(folder)
    assert [one.source for one in found.imprints] == ["rule"]
