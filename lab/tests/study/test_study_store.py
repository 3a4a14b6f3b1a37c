"""The store of studies: whole lines, torn lines, damaged lines, one runner at a time."""

from __future__ import annotations

import json
import resource
import signal
from pathlib import Path

import pytest

from jostle.repository import Repository, RepositoryError, StudyStore


@pytest.fixture
def store(tmp_path: Path) -> StudyStore:
    store = Repository(tmp_path / "r", create=True).study("s")
    store.begin("[study]\n", {"version": 1})
    return store


def record(run: str) -> dict[str, object]:
    return {"run": run, "programs": [{"name": "x"}]}


def test_what_is_appended_is_read(store: StudyStore) -> None:
    assert store.read_runs() == []
    for number in range(3):
        store.append_run(record(f"r{number}"))
    assert [one["run"] for one in store.read_runs()] == ["r0", "r1", "r2"]
    assert Repository(store.root).studies() == ["s"]
    assert store.plan() == {"version": 1} and store.text() == "[study]\n"


@pytest.mark.parametrize("torn", [b"{", b'{"run": "r9", "programs": [', b"x" * 200_000])
def test_a_torn_last_line_neither_counts_nor_harms(store: StudyStore, torn: bytes) -> None:
    store.append_run(record("r1"))
    with (store.folder / "runs.jsonl").open("ab") as stream:
        stream.write(torn)
    assert [one["run"] for one in store.read_runs()] == ["r1"]
    store.append_run(record("r2"))
    assert [one["run"] for one in store.read_runs()] == ["r1", "r2"]


def test_a_run_counts_once(store: StudyStore) -> None:
    store.append_run(record("r1"))
    store.append_run(record("r1") | {"second": True})
    assert store.read_runs() == [record("r1")]


@pytest.mark.parametrize(
    "line",
    ["{}", "[]", "null", '{"run": 3}', '{"run": "x", "programs": 3}', '{"run": "x"}', "[" * 5000],
)
def test_a_damaged_line_is_named(store: StudyStore, line: str) -> None:
    store.append_run(record("r1"))
    with (store.folder / "runs.jsonl").open("a") as stream:
        stream.write(line + "\n")
    store.append_run(record("r2"))
    with pytest.raises(RepositoryError, match=r"runs\.jsonl:2: this line is damaged") as caught:
        store.read_runs()
    assert "sed -i 2d" in caught.value.hint


def test_a_second_runner_is_refused(store: StudyStore) -> None:
    with store.lock():
        second = Repository(store.root).study("s").lock()
        with pytest.raises(RepositoryError, match="already running") as caught, second:
            pass
        assert "--name" in caught.value.hint
    with store.lock():
        pass


def test_forgetting(store: StudyStore) -> None:
    store.append_run(record("r1"))
    (store.logs("r1") / "x").mkdir(parents=True)
    store.forget()
    assert store.read_runs() == [] and not store.exists and not store.logs("r1").exists()


@pytest.mark.parametrize("name", ["", ".x", "a/b", "../x", "x" * 25, "a b"])
def test_names_that_are_no_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(RepositoryError, match="cannot name a study"):
        StudyStore(tmp_path, name)


def test_missing_and_damaged_plans(tmp_path: Path, store: StudyStore) -> None:
    with pytest.raises(RepositoryError, match="no study `t`") as caught:
        StudyStore(store.root, "t").plan()
    assert "s" in caught.value.hint
    (store.folder / "plan.json").write_text("{")
    with pytest.raises(RepositoryError, match="damaged") as caught:
        store.plan()
    assert "--fresh" in caught.value.hint


def test_a_full_disk_keeps_what_is_whole(store: StudyStore) -> None:
    store.append_run(record("r1"))
    size = (store.folder / "runs.jsonl").stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        # The kernel refuses bytes beyond this, as a full file system would.
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, before[1]))
        with pytest.raises(RepositoryError, match="cannot be written") as caught:
            store.append_run(record("r2") | {"words": "x" * 1000})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert "free some space" in caught.value.hint
    lines = (store.folder / "runs.jsonl").read_text()
    assert [json.loads(line)["run"] for line in lines.splitlines()] == ["r1"]
    store.append_run(record("r3"))
    assert [one["run"] for one in store.read_runs()] == ["r1", "r3"]


def test_an_unknown_study_leads_to_those_that_can_be_run(tmp_path: Path) -> None:
    with pytest.raises(RepositoryError) as caught:
        StudyStore(tmp_path, "demo").plan()
    assert "`jostle study list`" in caught.value.hint
