"""The traffic of the links of a fabric, as figures, with the numbers next to them."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from jostle.network.zone_pairs import zones_of
from jostle.plot.figures.fabric import plans
from jostle.plot.figures.page import draw_pages
from jostle.plot.figures.wired import is_small_tree, places_of
from jostle.report.models.machines.fabric_at import FabricAt, fabric_at
from jostle.repository import Repository
from jostle.topology import Topology, dragonfly, fat_tree
from jostle_lab.synthetic import Spec, plant, plant_fabric


def _content(topology: Topology) -> FabricAt:
    links = len(topology.sources)
    load = np.zeros(links)
    load[[0, links - 1]] = 5e8, 1e8
    zones = (
        None
        if topology.sizes
        else zones_of(topology, "group" if topology.kind == "dragonfly" else "switch")
    )
    many = len(zones.names) if zones else 0
    return FabricAt(
        topology,
        0,
        4 * 10**9,
        "",
        load,
        np.zeros(links, bool),
        ("a",) * links,
        zones,
        np.eye(many) * 1e8,
    )


@pytest.mark.parametrize(
    "topology", [fat_tree(3, 4, 2, rate=1e10), dragonfly(3, 2, 1)], ids=["fat tree", "dragonfly"]
)
def test_every_kind_is_drawn(topology: Topology, tmp_path: Path) -> None:
    saved, *_ = draw_pages(plans(_content(topology)), tmp_path, ("svg",), lambda *_: None)
    assert saved.title.startswith(f"All jobs put 477 MiB/s on {topology.link_name(0)}")
    assert "40 % of its rate" in saved.title or not topology.rates[0]
    rows = list(csv.DictReader(saved.files[-1].open()))
    assert len(rows) == len(topology.sources)
    assert rows[0]["link"] == topology.link_name(0) and float(rows[0]["bytes_per_s"]) == 5e8


def test_nothing_is_said_of_an_idle_fabric(tmp_path: Path) -> None:
    idle = replace(_content(fat_tree(2, 1, 1)), load=np.zeros(8), job="burst")
    saved, wired = draw_pages(plans(idle), tmp_path, ("png",), lambda *_: None)
    assert saved.title == wired.title == "burst puts nothing on the links of fabric"


def test_a_small_tree_is_drawn_as_it_is_wired(tmp_path: Path) -> None:
    topology = fat_tree(4, 2, 1)
    places = places_of(topology)
    x, y = (dict(zip(topology.vertices, axis.tolist(), strict=True)) for axis in places.T)
    assert y["spine1"] < y["leaf1"] == y["leaf4"] < y["node1"] == y["node8"]
    assert x["leaf2"] == pytest.approx((x["node3"] + x["node4"]) / 2)
    assert x["node3"] - x["node2"] > x["node2"] - x["node1"]
    spines = places_of(fat_tree(2, 2, 3))
    assert len(np.unique(spines.round(3), axis=0)) == len(spines)  # none lies on another
    placed = {"node1": ("watched", "sharer"), "node5": ("a-job-whose-name-is-very-long",)}
    content = replace(_content(topology), placed=placed)
    _, wired = draw_pages(plans(content), tmp_path, ("svg",))
    text = wired.files[0].read_text()
    assert wired.files[0].name == "network-fabric-wired.svg"
    assert "node1  watched +1" in text and "node5  a-job-whose-name-is-v…" in text
    assert "spine1" in text and "node8" in text
    assert not is_small_tree(fat_tree(5, 7, 1)) and not is_small_tree(dragonfly(2, 2, 1))


def test_the_time_of_a_job_and_of_an_instant(tmp_path: Path) -> None:
    path = tmp_path / "repository"
    plant(path, Spec(jobs=4, slices=60, length=40, processes=4, mounts=1, users=1), seed=5)
    store = Repository(path)
    hosts = store.query("SELECT DISTINCT host FROM processes ORDER BY host")["host"].to_pylist()
    topology = fat_tree(2, len(hosts), 1, hosts=[*hosts[::2], *hosts[1::2], *map(str, range(99))])
    plant_fabric(path, topology, seed=1)
    whole = fabric_at(store, topology)
    job = next(name for name in whole.busiest if name)
    own = fabric_at(store, topology, job=job)
    assert own.load.sum() > 0 and set(own.busiest) == {job, ""}
    assert own.end_ns - own.start_ns <= whole.end_ns - whole.start_ns
    then = fabric_at(store, topology, at_ns=own.start_ns + 10 * 10**9)
    assert then.end_ns - then.start_ns == 4 * 10**9
    assert own.placed and all(there == (job,) for there in own.placed.values())
    assert own.placed.keys() <= whole.placed.keys()
    up = topology.link_place["leaf1 > spine1"]
    assert whole.load[up] == pytest.approx(whole.sent[0, 1])
