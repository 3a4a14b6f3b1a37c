"""`jostle background --zone`: two jobs that meet on a link, whose port has counters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import Done

from jostle.cli.main import main
from jostle.cli.output import console
from jostle.repository import Repository
from jostle.topology import dragonfly, fat_tree
from jostle.topology.store import FOLDER, save
from synth_rows import BEGIN, SECOND, add_ranks, add_rows, process_of

GIB = 1 << 30


def send(repository: Repository, job: str, host: str, peer: int, values: dict[int, int]) -> None:
    add_rows(
        repository,
        "peer_slices",
        [
            {
                "job": job,
                "process": process_of(job, 0),
                "host": host,
                "rank": 0,
                "slice": at,
                "slice_ns": SECOND,
                "span": 1,
                "peer": peer,
                "sent_ops": 1,
                "sent_bytes": moved,
            }
            for at, moved in values.items()
        ],
    )


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Job a sends from node1 to node3 all the time, job b from node2 to node3 for ten seconds."""
    repository = Repository(tmp_path_factory.mktemp("zone") / "repository", create=True)
    add_ranks(repository, "a", ["node1", "node3"])
    add_ranks(repository, "b", ["node2", "node3"])
    send(repository, "a", "node1", 1, dict.fromkeys(range(60), GIB))
    send(repository, "b", "node2", 1, dict.fromkeys(range(20, 30), 3 * GIB))
    add_rows(
        repository,
        "component_slices",
        [
            {
                "kind": "port",
                "host": "leaf1",
                "name": "up1",
                "source": "",
                "mount": "",
                "job": "",
                "slice": at,
                "slice_ns": SECOND,
                "span": 1,
                "machine": 1,
                "component": 1,
                "link_send_bytes": (5 if 20 <= at < 30 else 1) * GIB,
                "link_receive_bytes": 7,
            }
            for at in range(60)
        ],
    )
    save(repository.path / FOLDER, fat_tree(2, 2, 2))
    repository.close()
    return repository.path


@pytest.fixture
def background(
    filled: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Any]:
    """Runs the command within this process."""
    console.cache_clear()
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("COLUMNS", "80")

    def run(*words: str) -> Done:
        code = main(["background", "--repository", str(filled), *words])
        seen = capsys.readouterr()
        return Done(code, seen.out, seen.err)

    yield run
    console.cache_clear()


def test_json_has_others_slice_by_slice_and_what_was_measured(background: Any) -> None:
    done = background("a", "--zone", "link:leaf1 > spine1", "--json")
    assert done.code == 0, done.err
    content = json.loads(done.out)
    (load,) = content["fabrics"]
    assert (content["job"], content["zone"], load["fabric"]) == (
        "a",
        "link:leaf1 > spine1",
        "fabric",
    )
    assert load["first_slice"] == BEGIN // SECOND and load["slice_ns"] == SECOND
    assert load["own"] == [GIB] * 60
    assert load["others"] == [0] * 20 + [3 * GIB] * 10 + [0] * 30
    assert load["measured"] == [GIB] * 20 + [5 * GIB] * 10 + [GIB] * 30
    assert load["routed_where_measured"] == [GIB] * 20 + [4 * GIB] * 10 + [GIB] * 30
    assert load["others_high"] is None
    assert load["jobs"] == [{"job": "b", "bytes": 30 * GIB}]
    assert [link["link"] for link in load["links"]] == ["leaf1 > spine1"]


def test_a_switch_is_shown_link_by_link(background: Any) -> None:
    done = background("a", "--zone", "switch:leaf1")
    assert done.code == 0, done.err
    assert "others on switch:leaf1" in done.out
    row = next(line for line in done.out.splitlines() if line.startswith("leaf1 > spine1"))
    assert row.split()[3:] == ["60.0", "GiB", "30.0", "GiB", "100", "GiB", "b"]
    assert max(len(line) for line in done.out.splitlines()) <= 80


def test_errors_name_the_zones_that_there_are(background: Any) -> None:
    done = background("a", "--zone", "group:9")
    assert done.code == 2
    assert "has no zone `group:9`" in done.err and "switch:NAME (leaf1, leaf2" in done.err
    done = background("a", "--zone", "switch:leaf1", "--metric", "ops")
    assert done.code == 2 and "Leave out --metric" in done.err


def test_a_repository_without_fabrics_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = Repository(tmp_path / "repository", create=True)
    add_ranks(repository, "a", ["node1"])
    repository.close()
    assert (
        main(["background", "--repository", str(tmp_path / "repository"), "a", "--zone", "x"]) == 2
    )
    assert "jostle topology import" in capsys.readouterr().err


def test_adaptive_routing_is_an_interval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    console.cache_clear()
    repository = Repository(tmp_path / "repository", create=True)
    add_ranks(repository, "a", ["node1", "node2"])
    add_ranks(repository, "b", ["node1", "node6"])
    send(repository, "b", "node1", 1, {5: GIB})
    save(repository.path / FOLDER, dragonfly(3, 2, 1))
    repository.close()
    words = ["background", "--repository", str(tmp_path / "repository"), "a", "--zone", "group:0"]
    assert main(words) == 0
    seen = capsys.readouterr().out
    console.cache_clear()
    assert "0 B to 1.00 GiB" in seen and "Valiant" in seen
