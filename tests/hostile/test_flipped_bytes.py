"""A flipped byte leaves many files readable, with other numbers and without names.

Whatever file of a small repository it is: each command, and each route of the server, answers with
what is left, or says which file is damaged and what to do. None breaks, and none adds up nonsense.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from server_fixtures import hall
from support import make_profile

from jostle.cli import output
from jostle.cli.main import main
from jostle.repository import Repository
from jostle.repository.errors import DamagedError
from jostle.repository.maintenance.merge import merge
from jostle.repository.store.log import Log
from jostle_lab.synthetic import Spec, plant, plant_machines

TABLES = (
    "processes",
    "process_kinds",
    "mounts",
    "slices",
    "mount_slices",
    "rollup",
    "node_rollup",
    "machines",
    "components",
    "component_slices",
)
#: Of each table.
TURNS = 1
ROUTES = (
    "jobs",
    "jobs/{job}",
    "jobs/{job}/verdict",
    "jobs/{job}/figures",
    "jobs/{job}/trend",
    "jobs/{job}/series?metric=bytes&of=others",
    "jobs/{job}/grid?metric=bytes",
    "losses",
    "system/span",
    "system/grid",
    "system/mounts",
    "system/machines",
    "nodes",
    "matrix",
)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of synthetic jobs, of which some are settled and one is not."""
    folder = tmp_path_factory.mktemp("flipped")
    spec = Spec(jobs=4, slices=60, length=30, processes=2, mounts=1, users=1)
    made = plant_machines(plant(folder / "repository", spec, seed=5), seed=5)
    store = Repository(folder / "repository")
    assert made is not None
    store.compact()
    for number in range(3):
        make_profile(number, f"job{number}").write(folder / "spool")
        store.ingest([folder / "spool"])
    store.compact()
    make_profile(7, "newest").write(folder / "spool")
    store.ingest([folder / "spool"])
    return folder / "repository"


def turned(data: bytes, seed: int) -> bytes:
    at = random.Random(seed).randrange(4, len(data) - 4)
    return data[:at] + bytes([data[at] ^ (1 << (seed % 8))]) + data[at + 1 :]


def harmed(root: Path, table: str) -> Iterator[Path]:
    """Turns a byte of a file, repeatedly; gives the file, which is whole again at the end."""
    for seed in range(TURNS):
        paths = [root / file.path for file in Log(root).refresh().of(table)]
        path = sorted(paths)[seed % len(paths)]
        whole = path.read_bytes()
        path.write_bytes(turned(whole, seed))
        try:
            yield path
        finally:
            path.write_bytes(whole)


@pytest.mark.in_turn
@pytest.mark.parametrize("table", TABLES)
def test_commands_answer_or_name_the_file(
    root: Path, table: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JOSTLE_DEBUG", raising=False)
    jobs = Repository(root).jobs()["job"].to_pylist()
    for path in harmed(root, table):
        place = path.relative_to(root).as_posix()
        said = ""
        for words in (
            ["jobs", "--json"],
            ["digest", jobs[0]],
            ["digest", jobs[-1], "--json"],
            ["background", jobs[1]],
        ):
            output.console.cache_clear()
            code = main([*words, "--repository", str(root)])
            out, err = capsys.readouterr()
            assert code in (0, 1, 2), (place, words, err)
            assert "Something broke" not in err, (place, words, err)
            assert "Traceback" not in out + err, (place, words)
            said += err
        if table in ("processes", "process_kinds", "mounts") and place in said:
            assert f"{place} cannot be read (its checksum does not match its content)" in said
            assert "--fix" in said
    assert Repository(root).check().damaged == []


@pytest.mark.parametrize("table", ["processes", "process_kinds"])
def test_what_jobs_are_is_never_asked_of_a_harmed_file(root: Path, table: str) -> None:
    for path in harmed(root, table):
        store = Repository(root)
        said: list[DamagedError] = []
        store.on_damage(said.append)
        store.query(f"SELECT * FROM {table}")
        store.jobs()
        assert [damaged.file for damaged in said] == [path.relative_to(root).as_posix()]
        assert "check --fix" in said[0].hint


@pytest.mark.parametrize("table", ["processes", "rollup"])
def test_a_file_that_is_harmed_between_two_questions_is_noticed(root: Path, table: str) -> None:
    """As a server's is, whose views stay: the second question leaves it out."""
    store = Repository(root)
    said: list[str] = []
    store.on_damage(lambda damaged: said.append(damaged.file))
    before = store.query(f"SELECT count(*) AS n FROM {table}")["n"][0].as_py()
    for path in harmed(root, table):
        found = store.query(f"SELECT count(*) AS n FROM {table}")["n"][0].as_py()
        assert found < before
        assert said.pop() == path.relative_to(root).as_posix()
        break
    assert store.query(f"SELECT count(*) AS n FROM {table}")["n"][0].as_py() == before


@pytest.mark.in_turn
@pytest.mark.parametrize("table", TABLES)
def test_routes_answer_or_name_the_file(root: Path, tmp_path: Path, table: str) -> None:
    job = Repository(root).jobs()["job"][0].as_py()
    for path in harmed(root, table):
        place = path.relative_to(root).as_posix()
        with hall(root, tmp_path / "audit").guest("adam") as guest:
            for route in ROUTES:
                answer = guest.get(f"/api/v1/{route.format(job=job)}")
                named = f"{place} cannot be read" in answer.text and "--fix" in answer.text
                assert answer.status_code < 500 or named, (table, route, answer.text)
        break


@pytest.mark.in_turn
@pytest.mark.parametrize("table", TABLES)
def test_no_compaction_takes_a_harmed_file_for_whole(
    root: Path, tmp_path: Path, table: str
) -> None:
    copy = shutil.copytree(root, tmp_path / "copy")
    for path in harmed(copy, table):
        (file,) = (one for one in Log(copy).refresh().of(table) if copy / one.path == path)
        with pytest.raises(DamagedError, match="checksum does not match"):
            merge(copy, [file])
        store = Repository(copy)
        store.compact()
        assert path.exists()
        assert file.path in {damaged.file for damaged in store.check().damaged}
        break
