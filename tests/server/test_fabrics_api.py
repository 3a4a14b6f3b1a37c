"""The API of networks: loads of links, jobs on a link, and access to both."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest
from server_fixtures import Hall, hall
from starlette.testclient import TestClient

from jostle.report.models.machines.link_facts import losses_at
from jostle.repository import Repository
from jostle.topology import fat_tree
from jostle_lab.synthetic import Spec, plant, plant_fabric, plant_machines

STEPS = 32


@pytest.fixture(scope="module")
def fabric_hall(tmp_path_factory: pytest.TempPathFactory, users: None) -> Hall:
    path = tmp_path_factory.mktemp("fabric") / "repository"
    spec = Spec(jobs=10, slices=120, length=60, processes=4, mounts=1, users=4)
    injected = plant(path, spec, seed=5)
    hosts = Repository(path).query("SELECT DISTINCT host FROM processes ORDER BY host")
    # Neighbours of the list are on different leaves: jobs have nodes that adjoin.
    names = hosts["host"].to_pylist()
    topology = fat_tree(
        2, -(-len(names) // 2), 2, rate=1e9, name="net", hosts=[*names[::2], *names[1::2], "spare"]
    )
    plant_fabric(path, topology, seed=2)
    plant_machines(injected, seed=5)  # the agents of nodes count at their ports
    return hall(path, tmp_path_factory.mktemp("looks") / "audit.jsonl")


def _get(client: TestClient, path: str, **query: Any) -> Any:
    answer = client.get(f"/api/v1/{path}", params=query)
    assert answer.status_code == 200, answer.text
    if answer.headers["content-type"].startswith("application/json"):
        return answer.json()
    (length,) = struct.unpack_from("<I", answer.content)
    return json.loads(answer.content[4 : 4 + length]), answer.content[4 + length :]


def test_shape_loads_and_table_say_the_same(fabric_hall: Hall) -> None:
    adam = fabric_hall.guest("adam")
    (fabric,) = _get(adam, "fabric")["fabrics"]
    shape = _get(adam, "fabric/net/shape")
    assert fabric["kind"] == "fat tree" and fabric["links"] == len(shape["sources"])
    overview = _get(adam, "fabric/net/overview", steps=STEPS)
    head, numbers = _get(adam, "fabric/net/loads", steps=STEPS, first=2, count=3)
    links = fabric["links"]
    assert (head["first"], head["steps"], head["links"]) == (2, 3, links)
    load = np.frombuffer(numbers, "<f4", 3 * links).reshape(3, links)
    before = 4 * 3 * links * (1 + head["low_high"] + head["waiting"])
    who = np.frombuffer(numbers, "<u2", 3 * links, before).reshape(3, links)
    np.testing.assert_allclose(load.max(axis=1), overview["peaks"][2:5], rtol=1e-5)
    routed = np.ones(links, bool)
    routed[head["measured"]] = False
    assert routed.any() and not routed.all()  # agents count at nodes' ports, nobody at spines'
    assert ((who == 65535) == (load == 0))[:, routed].all()
    busiest = int(np.where(routed, load[0], 0).argmax())
    on = _get(adam, "fabric/net/link", link=busiest, steps=STEPS)
    assert on["name"] == shape["link_names"][busiest] and on["resource"] == f"link {on['name']}"
    assert on["load"][2] == pytest.approx(load[0, busiest], rel=1e-5)
    sums = np.sum([job["values"] for job in on["jobs"]], axis=0)
    np.testing.assert_allclose(sums, on["load"], rtol=1e-4)
    first = overview["jobs"][who[0, busiest]]["job"]
    assert max(on["jobs"], key=lambda job: job["values"][2])["job"] == first
    assert on["jobs"][0]["seconds_lost"] is None  # nobody asked for a verdict


def test_a_switch_carries_what_leads_into_it(fabric_hall: Hall) -> None:
    adam = fabric_hall.guest("adam")
    shape = _get(adam, "fabric/net/shape")
    leaf = shape["vertices"].index("leaf1")
    on = _get(adam, "fabric/net/link", switch=leaf, steps=STEPS)
    head, numbers = _get(adam, "fabric/net/loads", steps=STEPS, count=1)
    load = np.frombuffer(numbers, "<f4", head["links"])
    into = np.array(shape["targets"]) == leaf
    assert on["links"] == into.sum() and on["load"][0] == pytest.approx(load[into].sum(), rel=1e-5)
    assert adam.get("/api/v1/fabric/net/link", params={"switch": 9999}).status_code == 404
    assert adam.get("/api/v1/fabric/other/shape").status_code == 404


def test_a_chosen_job_comes_before_busier_ones(fabric_hall: Hall) -> None:
    adam = fabric_hall.guest("adam")
    jobs = [row["job"] for row in _get(adam, "fabric/net/overview", steps=STEPS)["jobs"]]
    for path, place in (("loads", -1), ("zones", -1)):

        def who(before: str, path: str = path) -> np.ndarray[Any, Any]:
            head, numbers = _get(adam, f"fabric/net/{path}", steps=STEPS, before=before, count=16)
            many = head["steps"] * head.get("links", len(head.get("zones", [])) ** 2)
            return np.frombuffer(numbers, "<u2", many, len(numbers) - 2 * many)

        last = jobs[place]
        usual, chosen = who(""), who(last)
        assert (chosen == jobs.index(last)).sum() > (usual == jobs.index(last)).sum()
        assert ((usual == 65535) == (chosen == 65535)).all()


def test_leaves_sent_what_the_links_between_them_carried(fabric_hall: Hall) -> None:
    adam = fabric_hall.guest("adam")
    shape = _get(adam, "fabric/net/shape")
    head, numbers = _get(adam, "fabric/net/zones", steps=STEPS, first=4, count=2)
    assert [zone["name"] for zone in head["zones"]] == ["leaf1", "leaf2"]
    sent = np.frombuffer(numbers, "<f4", 8).reshape(2, 2, 2)
    head, numbers = _get(adam, "fabric/net/loads", steps=STEPS, first=4, count=2)
    load = np.frombuffer(numbers, "<f4", 2 * head["links"]).reshape(2, -1)
    up = [k for k, name in enumerate(shape["link_names"]) if name.startswith("leaf1 > spine")]
    np.testing.assert_allclose(load[:, up].sum(axis=1), sent[:, 0, 1], rtol=1e-4)


def test_a_user_gets_the_traffic_of_his_own_jobs(fabric_hall: Hall) -> None:
    anne, adam = fabric_hall.guest("anne"), fabric_hall.guest("adam")
    own = {row["job"] for row in _get(anne, "jobs")["jobs"]}
    mine = _get(anne, "fabric/net/overview", steps=STEPS)["jobs"]
    every = {job["job"]: job for job in _get(adam, "fabric/net/overview", steps=STEPS)["jobs"]}
    assert mine and {job["job"] for job in mine} <= own < {*every, *own}
    head, _ = _get(anne, "fabric/net/loads", steps=STEPS)
    assert head["measured"] == []  # what ports counted is also that of others
    assert all(job["bytes"] == pytest.approx(every[job["job"]]["bytes"]) for job in mine)
    placed = _get(anne, "fabric/net/placement", at_ns=_get(anne, "fabric")["last_ns"] - 10**9)
    assert set(placed["jobs"]) <= own and placed["conflicting"] == []
    hidden = next(job for job in every if job not in own)
    assert _get(anne, "fabric/net/placement", job=hidden, steps=STEPS)["conflicting"] == []


def test_jobs_that_share_links_with_one(fabric_hall: Hall) -> None:
    adam = fabric_hall.guest("adam")
    shape = _get(adam, "fabric/net/shape")
    job = _get(adam, "fabric/net/overview", steps=STEPS)["jobs"][0]["job"]
    on = [
        _get(adam, "fabric/net/link", link=link, steps=STEPS)["jobs"]
        for link in range(len(shape["sources"]))
    ]
    there = [{each["job"]: np.array(each["values"]) > 0 for each in jobs} for jobs in on]
    both = {
        other
        for jobs in there
        if job in jobs
        for other in jobs
        if other and (jobs[other] & jobs[job]).any()
    }
    placed = _get(adam, "fabric/net/placement", job=job, steps=STEPS)
    assert set(placed["conflicting"]) == both - {job} != set()


def test_who_of_a_job_sent_to_whom(fabric_hall: Hall) -> None:
    adam = fabric_hall.guest("adam")
    job = _get(adam, "fabric/net/overview", steps=STEPS)["jobs"][0]["job"]
    path = f"jobs/{job}/communication"
    head, numbers = _get(adam, path)
    values = np.frombuffer(numbers, "<f4").reshape(head["cells"], head["cells"])
    assert np.nansum(values) == pytest.approx(head["bytes"]) and head["pairs"][0]["bytes"] > 0
    assert np.isnan(np.diag(values)).all()
    by_switch, _ = _get(adam, path, order="switch", by="hops")
    switches = [label["switch"] for label in by_switch["labels"]]
    assert switches == sorted(switches) and {"leaf1", "leaf2"} == set(switches)
    window, numbers = _get(adam, path, begin=1, end=2)
    assert (window["cells"], len(numbers)) == (1, 4)
    binned, numbers = _get(adam, path, size=1)
    assert np.frombuffer(numbers, "<f4")[0] == pytest.approx(head["bytes"])
    assert binned["each"] == head["ranks"]


def test_placement_names_only_jobs_that_the_viewer_may_see(fabric_hall: Hall) -> None:
    adam, anne = fabric_hall.guest("adam"), fabric_hall.guest("anne")
    own = {row["job"] for row in _get(anne, "jobs")["jobs"]}
    reports = {job: _get(adam, f"jobs/{job}/placement") for job in own}
    job = next(job for job, report in reports.items() if report["meetings"])
    assert reports[job]["fabric"] == "net" and reports[job]["answer"]
    assert any(row["name"] == "routers" for row in reports[job]["measures"])
    mine = _get(anne, f"jobs/{job}/placement")
    assert mine["measures"] == reports[job]["measures"] and mine["answer"] == ""
    assert {each["job"] for each in mine["meetings"]} <= own
    assert len(mine["meetings"]) < len(reports[job]["meetings"])


def test_seconds_are_those_of_the_verdicts_on_a_link_or_a_switch() -> None:
    def disturbed(start: int, resource: str, seconds: float) -> dict[str, Any]:
        return {"start_ns": start, "resource": resource, "seconds": seconds, "suspect": "b"}

    slices = {
        "a": [
            disturbed(1, "link x > y", 2.0),
            disturbed(2, "link x > y (to /scratch)", 1.0),
            disturbed(9, "link x > y", 4.0),
            disturbed(1, "link y > z", 8.0),
        ],
        "c": [],
    }
    assert losses_at({"link x > y"}, slices, (0, 9)) == ({"a": 3.0, "c": 0.0}, {"b": 3.0})
    both = {"switch y", "link x > y", "link y > z"}
    assert losses_at(both, slices, (0, 10)) == ({"a": 15.0, "c": 0.0}, {"b": 15.0})
