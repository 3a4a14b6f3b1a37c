"""Jobs meet on links: who shares one is blamed for it, who shares none is not."""

from __future__ import annotations

import pytest
from beside_maker import Floats, bursts
from fabric_maker import RATE, Scene, Sender

from jostle.analysis import identify
from jostle.analysis.identification.model import Interference
from jostle.repository.query.co_running import hide
from jostle.topology import fat_tree

SIZE = 240


def loaded(load: Floats) -> Floats:
    """How many times as long a message takes on a link with a load of others."""
    return 1 + 1.5 * load / RATE


def blamed(found: Interference) -> list[tuple[str, str]]:
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
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_who_shares_a_link_is_blamed_and_the_louder_one_is_not(seed: int) -> None:
    scene = tree_scene(seed)
    found = identify(scene.make())
    assert blamed(found) == [("near", "link leaf1 > spine1")]
    assert found.acquitted["loud"] == "It shares no link with this job's messages."
    assert found.seconds.low <= scene.lost() <= found.seconds.high


def test_without_a_topology_the_network_is_one_resource() -> None:
    from dataclasses import replace

    found = identify(replace(tree_scene(0).make(), fabrics=()))
    assert {resource.resource for resource in found.resources} == {"network"}


def test_a_neighbour_that_is_nowhere_on_the_fabric_is_not_acquitted() -> None:
    scene = tree_scene(1)
    scene.neighbours["loud"].pairs = {("elsewhere1", "elsewhere2"): 1.0}  # type: ignore[index]
    found = identify(scene.make())
    assert {resource.resource for resource in found.resources} == {"link leaf1 > spine1", "network"}
    assert "shares no link" not in found.acquitted.get("loud", "")


def test_others_are_one_job_on_links_too() -> None:
    beside = hide(tree_scene(0).make(), [], "other users' jobs")
    found = identify(beside)
    assert blamed(found) == [("other users' jobs", "link leaf1 > spine1")]
