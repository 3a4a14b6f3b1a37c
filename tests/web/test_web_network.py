"""The page of the network: links, jobs on a link, the same as a table, and without a mouse."""

from __future__ import annotations

import re

import pytest
from web_fixtures import serving

from jostle.repository import Repository
from jostle.topology import dragonfly, fat_tree
from jostle_lab.synthetic import Spec, plant, plant_fabric


@pytest.fixture(scope="module")
def wired(tmp_path_factory):
    """Jobs whose nodes are on two leaves each, of a fat tree and of a dragonfly."""
    path = tmp_path_factory.mktemp("wired") / "repository"
    plant(path, Spec(jobs=10, slices=60, length=40, processes=4, mounts=1, users=2), seed=5)
    rows = Repository(path).query("SELECT DISTINCT host FROM processes ORDER BY host")
    hosts = rows["host"].to_pylist()
    hosts = [*hosts[::2], *hosts[1::2], *(f"spare{k}" for k in range(64))]
    plant_fabric(path, fat_tree(4, 12, 2, rate=1e9, hosts=hosts, name="tree"), seed=2)
    plant_fabric(path, dragonfly(4, 4, 3, rate=1e9, hosts=hosts, name="wide"), seed=2, jobs=0)
    with serving(path) as made:
        yield made


def test_from_a_link_to_the_jobs_on_it(page, wired, idle, violations):
    page.goto(wired.enter("/network"))
    page.wait_for_selector(".rows canvas")
    idle(page)
    assert violations(page) == []
    # The table has the facts of the picture: its first link is the first cell of a row.
    table = page.get_by_role("region", name="Table of links")
    name, load, part, job, _ = table.locator("tbody tr").first.locator("td").all_inner_texts()
    group = page.get_by_role("group", name="Links by level")
    group.focus()
    page.keyboard.press("ArrowRight")
    said = page.locator(".rows + .said").inner_text()
    assert load in said and part in said and job in said
    page.keyboard.press("Enter")
    panel = page.get_by_role("region", name="Who is on it")
    panel.get_by_role("table").wait_for()
    assert f"carries {load}, {part} of its" in panel.inner_text()
    assert job in panel.get_by_role("table").inner_text()
    assert "link=" in page.url
    assert violations(page) == []
    other = table.locator("tbody tr td:first-child button", has_not_text=name).first
    other.click()
    panel.get_by_role("heading", name=other.inner_text()).wait_for()
    panel.get_by_role("button", name=re.compile("^Switch leaf")).click()
    page.wait_for_url("**switch=leaf*")
    panel.get_by_text("This switch, on").wait_for()


def test_time_by_keys_and_play(page, wired, idle):
    page.goto(wired.enter("/network"))
    page.wait_for_selector(".rows canvas")
    idle(page)
    slider = page.get_by_role("slider", name="Time")
    before = int(slider.input_value())
    slider.focus()
    page.keyboard.press("ArrowLeft")
    assert int(slider.input_value()) == before - 1
    assert "the busiest link carries" in slider.get_attribute("aria-valuetext")
    page.wait_for_url("**at=*")
    page.keyboard.press("Space")
    page.get_by_role("button", name="Pause").wait_for()
    for _ in range(100):  # no script may be evaluated in the page
        if int(slider.input_value()) != before - 1:
            break
        page.wait_for_timeout(100)
    else:
        pytest.fail("time stands still")
    page.keyboard.press("Space")
    page.get_by_role("button", name="Play").wait_for()
    page.keyboard.press("+")
    page.wait_for_url("**from=*")


def test_groups_then_their_routers_on_a_phone(new_page, wired, idle, violations):
    page = new_page("dark", 390)
    page.goto(wired.enter("/network?fabric=wide&colour=job"))
    page.wait_for_selector(".heat canvas")
    idle(page)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.get_by_role("group", name="What each group sent").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".matrix .said").inner_text().startswith("group 0 to itself")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Router to router in groups 0 and 1").wait_for()
    assert "view=0-1" in page.url
    idle(page)
    assert violations(page) == []


def test_who_of_a_job_sent_to_whom(page, wired, idle, violations):
    page.goto(wired.enter("/network"))
    page.wait_for_selector(".rows canvas")
    job = page.get_by_role("region", name="Jobs").locator("li span").first.inner_text()
    page.goto(f"{wired.url}/jobs/{job}?pairs=hops&ranks=switch")
    card = page.get_by_role("region", name="Communication")
    card.locator("canvas").wait_for()
    idle(page)
    assert card.locator("tbody tr").count() >= 2
    card.get_by_role("group", name="Ranks by ranks").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert re.match(r"rank \d+ on node\d+ to ", card.locator(".said").inner_text())
    assert violations(page) == []
    placement = page.get_by_role("region", name="Placement")
    placement.get_by_text("switches of its nodes").wait_for()
    placement.get_by_role("link", name="its links over time").click()
    page.wait_for_url(f"**/network?fabric=tree&job={job}*")
