"""The page Compare: from a program to two of its runs, and where they differ in time."""

from __future__ import annotations

import pytest
from web_fixtures import LIVE, SEGMENTS, plant_segments, serving

from jostle_lab.synthetic.injected.model import Spec
from jostle_lab.synthetic.repository import plant

RUNS = "section[aria-label='Where the difference lies']"
CLUSTERS = "section[aria-label='By cluster']"


@pytest.fixture(scope="module")
def twice(tmp_path_factory):
    """Two runs of a program that were disturbed differently, and one of another."""
    path = tmp_path_factory.mktemp("twice") / "repository"
    plant(path, Spec(jobs=1, slices=60, length=40, processes=2, mounts=1), seed=3)
    plant_segments(path, "relax-1", first=101, begin_s=5)
    plant_segments(path, "relax-2", first=201, begin_s=300, seed=4)
    with serving(path) as made:
        yield made


def test_from_a_program_to_two_of_its_runs(page, twice, idle, violations):
    page.goto(twice.enter("/compare"))
    page.get_by_role("link", name="relax").click()
    page.get_by_text("Compare it with which run of relax?").wait_for()
    assert violations(page) == []
    page.get_by_role("link", name="relax-1").click()
    page.wait_for_selector(f"{CLUSTERS} tbody")
    idle(page)
    assert sorted(page.locator(".run").all_inner_texts())[0].startswith("relax-1")
    assert violations(page) == []
    reported = page.request.get(f"{twice.url}/api/v1/compare?job=relax-1&job=relax-2").json()
    slow = reported["measured_s"].index(max(reported["measured_s"]))
    head = page.locator(f"{RUNS} h2").inner_text()
    assert head.startswith(f"{reported['runs'][slow]['job']} took ")
    assert f"longer than {reported['runs'][reported['baseline']]['job']}: " in head
    assert "memory or CPU" in head  # its ranks are on one node
    # One row a run, its bars on one scale; the fastest has none.
    rows = page.locator(f"{RUNS} tbody tr")
    assert rows.count() == 2
    fastest = rows.filter(has=page.get_by_text("fastest", exact=True))
    assert fastest.locator(".line i").count() == 0
    assert page.locator(f"{RUNS} .line i.lost").count() >= 1
    # A cluster leads to its segments in that run's page.
    page.locator(f"{CLUSTERS} td a").first.click()
    page.wait_for_selector("section[aria-label=Segments] tr.picked")


@pytest.mark.parametrize("look", [("dark", 390)], indirect=True)
def test_it_fits_a_phone(page, twice, idle, violations):
    page.goto(twice.enter("/compare?job=relax-1&job=relax-2"))
    page.wait_for_selector(f"{CLUSTERS} tbody")
    idle(page)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_runs_are_added_and_taken_out(page, served):
    page.goto(served.enter(f"/compare?job={SEGMENTS}"))
    page.get_by_text("Compare it with which run").wait_for()
    page.get_by_label("Add a run").select_option(LIVE)
    page.wait_for_url(lambda url: url.endswith(f"job={SEGMENTS}&job={LIVE}"))
    page.wait_for_selector(RUNS)
    assert "numbers of ranks differ" in page.locator(f"{RUNS} h2").inner_text()
    page.get_by_label(f"Remove {LIVE}").click()
    page.get_by_text("Compare it with which run").wait_for()


def test_jobs_without_segments_are_compared_by_cause(page, served):
    page.goto(served.enter("/compare?job=burster-0001&job=burster-0004"))
    page.wait_for_selector(RUNS)
    assert "None of these runs has clusters of segments" in page.locator(CLUSTERS).inner_text()


def test_a_run_that_is_not_there_is_named(page, served):
    page.expected.append("404")
    page.goto(served.enter(f"/compare?job={SEGMENTS}&job=none"))
    page.get_by_text("One of these runs does not exist").wait_for()
    page.goto(served.enter("/compare?job=none"))
    page.get_by_text("There is no job none").wait_for()


def test_where_nothing_ran_twice_it_says_so(page, tmp_path):
    path = tmp_path / "once"
    plant(path, Spec(jobs=1, slices=20, length=10, processes=1, mounts=1), seed=3)
    with serving(path) as made:
        page.goto(made.enter("/compare"))
        page.get_by_text("Nothing to compare yet").wait_for()
