"""Experiments on links: shared links as planned, and which verdicts are right."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from jostle_lab.cluster import LabSpec, fabric
from jostle_lab.validation.lab.links import APART, SHARER, WATCHED, LinkScene, plan, see, summary
from jostle_lab.validation.lab.messages import MessageJob, Truth


def _links(topology: str, job: MessageJob) -> set[str]:
    shape = fabric.topology(LabSpec(topology=topology))
    a, b = (shape.place[node] for node in job.nodes)
    return {shape.link_name(link) for link in fabric.way(shape, a, b) + fabric.way(shape, b, a)}


def test_only_the_sharer_shares_links() -> None:
    scenes = list(plan(24, seed=3))
    assert scenes == list(plan(24, seed=3))
    assert len({scene.topology for scene in scenes}) > 2
    for scene in scenes:
        watched, *others = scene.jobs
        own = _links(scene.topology, watched)
        common = {job.name: own & _links(scene.topology, job) for job in others}
        assert common.pop(SHARER, set()) == set(scene.links)
        assert bool(scene.links) == (scene.number % 2 == 1)
        assert not any(common.values())
        assert len({node for job in scene.jobs for node in job.nodes}) == 6


def _verdict(said: float, *suspects: tuple[str, str]) -> Any:
    seconds = SimpleNamespace(value=said, low=said - 1, high=said + 1)
    named = [SimpleNamespace(job=job, resource=resource) for job, resource in suspects]
    return SimpleNamespace(suspects=named, seconds=seconds)


def test_a_verdict_is_right_with_the_job_and_its_link() -> None:
    jobs = (MessageJob(WATCHED, ("node1", "node5")),)
    scene = LinkScene(1, "tree:4x2", jobs, ("leaf1 > spine1",))
    truth = Truth(40.0, 8.0, {})
    seen = [
        see(scene, truth, _verdict(7.0, (SHARER, "link leaf1 > spine1"))),
        see(scene, truth, _verdict(9.5, (SHARER, "switch spine1"), (APART, "network"))),
        see(scene, truth, _verdict(7.0, (SHARER, "link leaf2 > spine1"))),
        see(scene, truth, _verdict(0.0)),
        see(LinkScene(2, "tree:4x2", jobs, ()), Truth(30.0, 0.0, {}), _verdict(0.0)),
    ]
    assert [each.right for each in seen] == [True, True, False, False, False]
    known = summary(seen)
    assert (known["harmful"], known["right"], known["wrong"]) == (4, 0.5, 1)
    assert (known["within_15"], known["held"]) == (0.5, 0.5)
