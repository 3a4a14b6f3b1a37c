"""Servers and nodes in a browser: over time on the page of the system, and compared."""

from __future__ import annotations

import pytest
from web_ground import serving

from jostle.synthetic import Fault, MachineSpec, Spec, plant, plant_machines


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Jobs of some minutes, and six days of their nodes' agents; a disk is slow."""
    path = tmp_path_factory.mktemp("site") / "repository"
    plant(path, Spec(jobs=3, slices=90, length=50, processes=2, mounts=1, slice_s=4.0), seed=5)
    faults = (Fault("capped disk", "node0002", 0.3),)
    spec = MachineSpec(nodes=8, slices=6 * 360, slice_s=240.0, mounts=1, faults=faults)
    plant_machines(path, spec, seed=4)
    with serving(path) as made:
        yield made


def test_from_the_lanes_to_the_node_that_is_worse(page, site, idle, violations):
    page.goto(site.enter("/system"))
    page.wait_for_selector(".machines .lane")
    idle(page)
    servers, nodes = page.locator(".machines").all()
    assert "server0" in servers.inner_text()
    assert nodes.locator(".lane").count() == 8
    servers.get_by_role("button", name="Time per request").click()
    page.wait_for_url("**servers=request_ms**")
    assert " ms" in servers.locator(".said").first.inner_text()
    assert violations(page) == []
    page.get_by_role("link", name="Compare nodes").click()
    page.wait_for_selector(".page .card")
    assert page.locator("h1").inner_text() == "node0002 is persistently worse than its peers."
    card = page.locator(".page .card").first
    assert "disk sda" in card.inner_text()
    assert card.locator(".plot i.worse").count() >= 3
    assert violations(page) == []
