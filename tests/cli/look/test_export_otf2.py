"""`jostle export --format otf2`: OTF2's own library reads back the content of the repository."""

from __future__ import annotations

import importlib.util
import itertools
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from command import jostle

from jostle.analysis.estimation.model import Hit
from jostle.report.models.job.job_otf2 import write_otf2
from jostle.repository import Repository
from jostle_lab.synthetic import Spec, plant

pytestmark = pytest.mark.skipif(not importlib.util.find_spec("otf2"), reason="no otf2 here")


@pytest.fixture(scope="module")
def injected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("otf2") / "repository"
    plant(path, Spec(jobs=3, slices=90, length=60, processes=2, mounts=1, users=2), seed=5)
    return path


@pytest.fixture(scope="module")
def written(injected: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    job = min(Repository(injected).jobs()["job"].to_pylist())
    folder = tmp_path_factory.mktemp("traces") / "trace"
    words = ("export", job, "--format", "otf2", "--out", str(folder))
    done = jostle(*words, "--repository", str(injected))
    assert done.code == 0, done.err
    assert "events" in done.out
    return job, folder


def read(folder: Path) -> tuple[Any, dict[str, list[Any]]]:
    import otf2

    events = defaultdict(list)
    with otf2.reader.open(str(folder / "traces.otf2")) as trace:
        for location, event in trace.events:
            events[location.name].append(event)
        return trace.definitions, events


def test_metrics_add_up_to_what_the_repository_holds(
    injected: Path, written: tuple[str, Path]
) -> None:
    import otf2

    job, folder = written
    store = Repository(injected)
    _, events = read(folder)
    found: dict[str, float] = defaultdict(float)
    for own in events.values():
        last: dict[Any, int] = {}
        for event in own:
            if not isinstance(event, otf2.events.Metric):
                continue
            members = event.metric.members
            begin = last.get(members, own[0].time)
            for member, value in zip(members, event.values, strict=True):
                assert member.metric_mode == otf2.MetricMode.ABSOLUTE_LAST
                found[member.name] += value * (event.time - begin) / 1e9
            last[members] = event.time
    (whole,) = store.query(
        "SELECT (SELECT sum(posix_write_bytes + stdio_write_bytes) FROM mount_slices "
        "WHERE job = $1) AS written, (SELECT sum(posix_read_bytes + stdio_read_bytes) "
        "FROM mount_slices WHERE job = $1) AS read, (SELECT sum(os_user_ns) / 1e9 FROM slices "
        'WHERE job = $1) AS "user CPU"',
        [job],
    ).to_pylist()
    assert whole["written"] > 0
    for name, value in whole.items():
        assert found[name] == pytest.approx(float(value or 0), rel=0.05), name


def test_processes_live_when_they_lived(injected: Path, written: tuple[str, Path]) -> None:
    import otf2

    job, folder = written
    definitions, events = read(folder)
    assert definitions.clock_properties.timer_resolution == 10**9
    rows = Repository(injected).job_processes(job).to_pylist()
    for row in rows:
        (name,) = (name for name in events if name.endswith(f" {row['pid']}"))
        own = events[name]
        assert isinstance(own[0], otf2.events.Enter) and isinstance(own[-1], otf2.events.Leave)
        assert own[0].time <= row["start_ns"]
        assert row["start_ns"] - own[0].time < row["slice_ns"]
        assert own[-1].time >= row["end_ns"]
        assert [event.time for event in own] == sorted(event.time for event in own)
    first = min(own[0].time for own in events.values())
    assert definitions.clock_properties.global_offset == first
    # It is the Unix clock, so that other traces can be compared with it.
    assert abs(definitions.clock_properties.realtime_timestamp - first) < 1000
    nodes = {node.name for node in definitions.system_tree_nodes}
    assert {row["host"] for row in rows} < nodes


def test_lost_time_is_there_as_regions(injected: Path, tmp_path: Path) -> None:
    """Spans of one cause that overlap are in locations of their own."""
    import otf2

    store = Repository(injected)
    job = min(store.jobs()["job"].to_pylist())
    start = store.job_processes(job)["start_ns"].to_pylist()[0]
    spans = [(0, 40, "file system", "/scratch"), (10, 20, "cpu", "n1"), (30, 60, "cpu", "n1")]
    spans += [(50, 55, "cpu", "n1"), (60, 70, "cpu", "n1")]
    hits = [
        Hit(start + begin * 10**9, start + end * 10**9, 0.25 * (end - begin), cause, place, -1)
        for begin, end, cause, place in spans
    ]
    whole = SimpleNamespace(hits=hits)
    count = write_otf2(store, job, whole, tmp_path / "trace")  # type: ignore[arg-type]
    _, events = read(tmp_path / "trace")
    assert count == sum(map(len, events.values()))
    found = []
    for own in events.values():
        for enter, leave in itertools.pairwise(own):
            if isinstance(enter, otf2.events.Enter) and enter.region.name.startswith("lost to "):
                assert isinstance(leave, otf2.events.Leave)
                (lost,) = enter.attributes.values()
                found.append((enter.time, leave.time, lost, enter.region.name))
    assert sorted(found) == sorted(
        (hit.start_ns, hit.end_ns, hit.seconds, f"lost to {hit.cause} {hit.resource}")
        for hit in hits
    )
    assert {"cpu n1 1", "cpu n1 2", "file system /scratch 1"} < set(events)


def test_only_a_trace_is_replaced(
    injected: Path, written: tuple[str, Path], tmp_path: Path
) -> None:
    job, folder = written
    words = ("export", job, "--format", "otf2", "--repository", str(injected), "--out")
    again = jostle(*words, str(folder))
    assert again.code == 2
    assert "exists already" in again.err
    assert jostle(*words, str(folder), "--force").code == 0
    (tmp_path / "mine").write_text("x")
    other = jostle(*words, str(tmp_path), "--force")
    assert other.code == 2
    assert "is not a trace, so it is not replaced" in other.err
    assert (tmp_path / "mine").read_text() == "x"
