"""The matrix as the API returns it: the numbers of the command, and their runs."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from pydantic import TypeAdapter
from server_fixtures import UIDS

from jostle.analysis.identification.model import OTHERS
from jostle.server.cache.background_cache import BackgroundCache
from jostle.server.schemas.reports import EvidenceReport, MatrixReport


def patiently(guest, path: str) -> dict:
    """Asks until it is made."""
    for _ in range(900):
        answer = guest.get(path)
        if answer.status_code != 202:
            assert answer.status_code == 200, answer.text
            return answer.json()
        assert answer.headers["retry-after"] == "1"
        time.sleep(0.2)
    raise AssertionError("it is never made")


def rounded(value):
    """Rounds, since the last digits depend on the order of a database's rows."""
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def command(repository, *words: str) -> dict:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "jostle.cli",
            "matrix",
            "--json",
            "--repository",
            str(repository),
            *words,
        ],
        capture_output=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_the_matrix_is_that_of_the_command(open_hall, injected):
    reported = patiently(open_hall.guest("adam"), "/api/v1/matrix")
    TypeAdapter(MatrixReport).validate_python(reported)  # the types of the page are made from it
    said = command(injected)
    del said["figures"]
    assert rounded({name: reported[name] for name in said}) == rounded(said)
    assert reported["encounters"]


def test_the_runs_behind_a_cell_give_its_numbers(open_hall):
    guest = open_hall.guest("adam")
    for one in patiently(guest, "/api/v1/matrix")["encounters"][:5]:
        query = {
            "victim": one["victim"],
            "aggressor": one["aggressor"],
            "kind": one["resource_kind"],
        }
        found = guest.get("/api/v1/matrix/evidence", params=query).json()
        EvidenceReport.model_validate(found)
        assert found["encounter"] == one
        assert len(found["alongside"]) == one["with_runs"]
        assert len(found["without"]) == one["without_runs"]
        values = [run["value"] for run in found["alongside"]]
        assert np.mean(values) == pytest.approx(one["with_mean"])
        assert guest.get(f"/api/v1/jobs/{found['alongside'][0]['job']}").status_code == 200


def test_a_user_sees_what_was_done_to_his_own_jobs(open_hall, injected):
    guest = open_hall.guest("dora")
    reported = patiently(guest, "/api/v1/matrix")
    said = command(injected, "--as-user", str(UIDS["dora"]))
    assert reported["jobs"] == said["jobs"]
    everybody = patiently(open_hall.guest("adam"), "/api/v1/matrix")
    own = {row["program"] for row in guest.get("/api/v1/jobs").json()["jobs"]}
    for one in reported["encounters"]:
        assert one["victim"].rsplit("/", 1)[-1] in own
        query = {
            "victim": one["victim"],
            "aggressor": one["aggressor"],
            "kind": one["resource_kind"],
        }
        found = guest.get("/api/v1/matrix/evidence", params=query).json()
        for run in found["alongside"] + found["without"]:
            assert guest.get(f"/api/v1/jobs/{run['job']}").status_code == 200
    hidden = {one["program"] for one in everybody["programs"]} - {
        one["program"] for one in reported["programs"]
    }
    assert hidden  # programs of fewer than three users, none of them his
    assert OTHERS in {one["program"] for one in reported["programs"]}


def test_a_pair_that_never_met(open_hall):
    guest = open_hall.guest("adam")
    patiently(guest, "/api/v1/matrix")
    answer = guest.get("/api/v1/matrix/evidence?victim=a&aggressor=b&kind=node")
    assert answer.status_code == 404
    assert guest.get("/api/v1/matrix/evidence?victim=a&aggressor=b&kind=moon").status_code == 422


def test_what_takes_long_is_made_once_and_kept():
    cache, made, may = BackgroundCache(), [], threading.Event()

    def make() -> str:
        may.wait(60)
        made.append(1)
        return "it"

    assert cache.ask("k", 1, make, 0.01) is None
    may.set()
    with ThreadPoolExecutor(4) as many:
        found = list(many.map(lambda _: cache.ask("k", 1, make, 60), range(4)))
    assert [piece.value for piece in found if piece] == ["it"] * 4
    # Newer than what is kept, but that was just made: with an ingester it is not made each time.
    assert cache.ask("k", 2, make, 60).commit == 1
    assert made == [1]


def test_what_fails_is_tried_again():
    cache = BackgroundCache()

    def fail() -> str:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        cache.ask("k", 1, fail, 5)
    assert cache.ask("k", 1, lambda: "now", 5).value == "now"
