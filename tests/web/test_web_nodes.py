"""Servers and nodes in a browser: over time on the page of the system, and compared."""

from __future__ import annotations

import pytest
from web_fixtures import serving

from jostle_lab.synthetic import Fault, MachineSpec, Spec, plant, plant_machines, plant_training

pytestmark = pytest.mark.in_turn("nodes")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Jobs of some minutes, and six days of their nodes' agents; a disk is slow."""
    path = tmp_path_factory.mktemp("site") / "repository"
    plant(path, Spec(jobs=3, slices=90, length=50, processes=2, mounts=1, slice_s=4.0), seed=5)
    faults = (
        Fault("capped disk", "node0002", 0.3),
        Fault("throttled GPU", "node0002", 0.8, start_s=86_400),
    )
    spec = MachineSpec(nodes=8, slices=6 * 360, slice_s=240.0, mounts=1, gpus=2, faults=faults)
    plant_machines(path, spec, seed=4)
    plant_training(path, host="node0002", gpus=2)
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
    card = page.locator(".page .card").filter(has_text="disk sda").first
    assert card.locator(".plot i.worse").count() >= 3
    assert violations(page) == []


def test_the_gpus_of_a_node(page, site, idle, violations):
    page.goto(site.enter("/nodes"))
    page.get_by_role("link", name="node0002").first.click()
    page.wait_for_selector(".gpus .lane")
    idle(page)
    first, second = page.locator(".gpus .lane").all()
    assert "worse than its peers" in first.inner_text()
    assert (first.locator(".plot b").count(), second.locator(".plot b").count()) == (1, 0)
    assert (
        "power or heat lowered its clock 40 % of the time" in page.locator(".slowed").inner_text()
    )
    page.get_by_role("button", name="Clock").click()
    page.wait_for_url("**view=clock**")
    assert "up to 1930 MHz" in second.inner_text()
    first.locator("a").click()  # what is known of it
    assert page.url.endswith("#node0002-GPU-0000-1b-00-0-clock-under-load")
    assert violations(page) == []


@pytest.mark.parametrize("look", [("dark", 390)], indirect=True)
def test_a_node_without_gpus_has_no_panel_of_them(page, site, idle):
    page.goto(site.enter("/nodes/server0"))
    page.wait_for_selector("text=Nothing on it is persistently worse than its peers.")
    idle(page)
    assert page.locator(".gpus").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("look", [("light", 1280), ("dark", 390)], indirect=True)
def test_a_training_job(page, site, idle, violations, look):
    page.goto(site.enter("/jobs"))
    page.wait_for_selector("text=train-0000")
    wide = look[1] > 900
    assert page.get_by_text("collectives", exact=True).count() == 1
    page.goto(site.enter("/jobs/train-0000?metric=communication"))
    over_time = page.get_by_role("region", name="GPUs over time")
    over_time.wait_for()
    idle(page)
    assert "to GPUs" in over_time.inner_text()
    assert page.get_by_text("This job, collective library").count() == 1
    table = page.get_by_role("region", name="GPUs", exact=True)
    assert "0000:1b:00.0" in table.inner_text()
    if wide:
        pressed = page.get_by_role("button", name="Collectives").get_attribute("aria-pressed")
        assert pressed == "true"
    assert page.evaluate("document.documentElement.scrollWidth") <= look[1]
    assert violations(page) == []
