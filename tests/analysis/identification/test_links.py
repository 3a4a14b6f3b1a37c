"""Jobs that share a link are suspects for it; others are not."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

sys.path.append(str(Path(__file__).parents[1]))  # when a test runs as a program

from alongside_maker import MOUNT, SLICE_NS, START, Floats, bursts, writer
from fabric_maker import RATE, Scene, Sender, ring

from jostle.analysis import identify
from jostle.analysis.identification.model import JobInterference
from jostle.analysis.identification.resources import links
from jostle.network import link_loads
from jostle.plot.charts.interference import charts
from jostle.repository.query.resources.co_running import hide
from jostle.topology import Topology, dragonfly, fat_tree, torus
from jostle.values.traffic import Traffic

SIZE = 240


def loaded(load: Floats) -> Floats:
    """How many times as long a message takes on a link with a load of others."""
    return 1 + 1.5 * load / RATE


def suspects_of(found: JobInterference) -> list[tuple[str, str]]:
    return [(suspect.job, suspect.resource) for suspect in found.suspects]


def tree_scene(seed: int) -> Scene:
    """Four leaves of four nodes below one spine: `near` shares an up-link, `loud` does not."""
    fabric = fat_tree(4, 4, 1, rate=8 * RATE)
    near, loud = bursts(SIZE, seed), 3 * bursts(SIZE, seed + 500)
    return Scene(
        fabric,
        {("node1", "node5"): 1.0},
        loaded(near),
        {
            "near": Sender({("node2", "node9"): 1.0}, near),
            "loud": Sender({("node10", "node13"): 1.0}, loud),
        },
        seed,
    )


@pytest.mark.parametrize("seed", range(3))
def test_who_shares_a_link_is_named_and_the_louder_one_is_not(seed: int) -> None:
    scene = tree_scene(seed)
    found = identify(scene.make())
    assert suspects_of(found) == [("near", "link leaf1 > spine1")]
    assert found.ruled_out["loud"] == "It shares no link with this job's messages."
    assert found.seconds.low <= scene.lost() <= found.seconds.high


def test_who_was_not_tested_on_a_link_is_not_ruled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two jobs on the job's link only the one with more load is tested."""
    monkeypatch.setattr(links, "_LOUDEST", 1)
    scene = tree_scene(0)
    quiet = Sender({("node3", "node10"): 1.0}, 0.1 * bursts(SIZE, 900))
    found = identify(replace(scene, neighbours={**scene.neighbours, "quiet": quiet}).make())
    assert suspects_of(found) == [("near", "link leaf1 > spine1")]
    assert "quiet" not in found.ruled_out
    assert "only the 1 with most load" in found.untested["quiet"].why
    assert "jostle compare" in found.untested["quiet"].decided_by


def test_without_a_topology_the_network_is_one_resource() -> None:
    found = identify(replace(tree_scene(0).make(), fabrics=()))
    assert {resource.resource for resource in found.resources} == {"network"}


def test_a_neighbour_that_is_nowhere_on_the_fabric_is_not_ruled_out() -> None:
    scene = tree_scene(1)
    scene.neighbours["loud"].pairs = {("elsewhere1", "elsewhere2"): 1.0}  # type: ignore[index]
    found = identify(scene.make())
    assert suspects_of(found) == [("near", "link leaf1 > spine1")]
    assert "shares no link" not in found.ruled_out["loud"]


def test_who_fills_the_way_to_a_file_server_is_named_though_it_uses_no_files() -> None:
    near = bursts(SIZE, 3)
    job = writer(loaded(near), {}, seed=3)
    facts = {"near": replace(job.job, job="near", nodes=("node2", "node9"))}
    mine = Sender({("node1", "node16"): 1.0}, np.full(SIZE, RATE), MOUNT)
    rows = [mine.rows("me"), Sender({("node2", "node9"): 1.0}, near).rows("near")]
    found = identify(
        replace(
            job,
            job=replace(job.job, nodes=("node1",)),
            others=facts,
            traffic=Traffic(pa.concat_tables(rows)),
            fabrics=(fat_tree(4, 4, 1, rate=8 * RATE),),
        )
    )
    assert suspects_of(found) == [("near", f"link leaf1 > spine1 (to object servers of {MOUNT})")]
    chart = charts(found)[0]
    assert chart.work == "a call"


def test_others_are_one_job_on_links_too() -> None:
    alongside = hide(tree_scene(0).make(), [], "other users' jobs")
    found = identify(alongside)
    assert suspects_of(found) == [("other users' jobs", "link leaf1 > spine1")]


# ---- right and wrong answers on synthetic fabrics: `test_links.py FIRST LAST`, as a program ----

FABRICS = (
    fat_tree(8, 4, 2, rate=8 * RATE),
    torus((4, 4, 3), rate=8 * RATE),
    dragonfly(5, 4, 2, rate=8 * RATE),
)


def random_scene(seed: int) -> tuple[Scene, dict[str, float], dict[str, set[str]]]:
    """A job among five neighbours, each on nodes drawn at random.

    Messages take longer the fuller the fullest link of the job's way is.

    Returns:
        The scene; what each neighbour cost (the loss that is gone without it, s); and the links
        that it shares with the job and on which it counts.
    """
    rng = np.random.default_rng(seed)
    fabric = FABRICS[seed % len(FABRICS)]
    hosts = list(rng.permutation(sorted(fabric.adapters_of)))
    pairs = ring(hosts[:4])
    neighbours = {}
    for k in range(5):
        height = rng.uniform(1.0, 3.0)
        mine = hosts[4 + 4 * k : 8 + 4 * k]
        neighbours[f"n{k}"] = Sender(ring(mine), height * bursts(SIZE, int(rng.integers(1 << 30))))
    way = on_links(fabric, {"me": Sender(pairs, np.full(SIZE, RATE))})["me"].max(axis=0)
    loads = on_links(fabric, neighbours)
    used = np.flatnonzero(way > 0)
    slowed = fullest(list(loads.values()), used)
    scene = Scene(fabric, pairs, slowed, neighbours, seed)
    whole, cost, shared = scene.lost(), {}, {}
    for name, load in loads.items():
        rest = [other for key, other in loads.items() if key != name]
        cost[name] = whole - Scene(fabric, pairs, fullest(rest, used), {}, seed).lost()
        shared[name] = {fabric.link_name(int(link)) for link in used if load[:, link].any()}
    return scene, cost, shared


def on_links(fabric: Topology, senders: Mapping[str, Sender]) -> dict[str, Floats]:
    """Bytes of each job per slice and link."""
    rows = pa.concat_tables([sender.rows(name) for name, sender in senders.items()])
    loads = link_loads(fabric, Traffic(rows), (START * SLICE_NS, SLICE_NS, SIZE))
    return {name: np.asarray(load.toarray()) for name, load in loads.jobs.items()}


def fullest(loads: list[Floats], used: Any) -> Floats:
    """How many times as long messages take: by the load on the fullest link of the way."""
    return loaded(np.sum(loads, axis=0)[:, used].max(axis=1))


@dataclass
class Score:
    """Right and wrong answers."""

    disturbed: int = 0
    named: int = 0
    link: int = 0
    strangers: int = 0
    wronged: int = 0
    harmless: int = 0
    wrong: int = 0
    errors: list[float] = field(default_factory=list)
    held: int = 0

    def add(self, seed: int) -> None:
        """Assesses the answer of one scene."""
        scene, cost, shared = random_scene(seed)
        found = identify(scene.make())
        run_s = float(SIZE)
        named = dict(suspects_of(found))
        for name, seconds in cost.items():
            if not shared[name]:
                self.strangers += 1
                self.wronged += name in named
            elif seconds >= 0.03 * run_s:
                self.disturbed += 1
                self.named += name in named
                self.link += named.get(name, "").removeprefix("link ") in shared[name]
            elif seconds < 0.002 * run_s:
                self.harmless += 1
                self.wrong += name in named
        lost = scene.lost()
        if lost >= 0.03 * run_s:
            self.errors.append((found.seconds.value - lost) / lost)
            self.held += found.seconds.low <= lost <= found.seconds.high


def test_answers_on_drawn_fabrics() -> None:
    score = Score()
    for seed in range(6):
        score.add(seed)
    assert score.disturbed and score.named == score.link == score.disturbed
    assert score.strangers and not score.wronged


if __name__ == "__main__":
    total = Score()
    for number in range(int(sys.argv[1]), int(sys.argv[2])):
        total.add(number)
    errors = np.array(total.errors)
    print(
        f"disturbed {total.disturbed}, named {total.named}, on a link that they share {total.link}"
    )
    print(f"without a shared link {total.strangers}, suspects_of {total.wronged}")
    print(f"on a shared link without harm {total.harmless}, suspects_of {total.wrong}")
    print(
        f"seconds: median error {np.median(np.abs(errors)):.1%}, bias {np.median(errors):+.1%}, "
        f"within 15 % {np.mean(np.abs(errors) <= 0.15):.0%} of {len(errors)}, "
        f"intervals hold {total.held / len(errors):.0%}"
    )
