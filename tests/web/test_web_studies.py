"""Studies in a browser: the list, a study's cells and their runs, and two side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from web_fixtures import Served, serving
from web_studies import plant_study

from jostle_lab.synthetic.injected.model import Spec
from jostle_lab.synthetic.repository import plant

pytestmark = pytest.mark.in_turn("studies")

THEMES = pytest.mark.parametrize("look", [("light", 1280), ("dark", 390)], indirect=True)


@pytest.fixture(scope="module")
def studied(tmp_path_factory) -> Iterator[Served]:
    """A repository with two studies."""
    path = tmp_path_factory.mktemp("studies") / "repository"
    plant(path, Spec(jobs=4, slices=120, length=60, processes=2, mounts=1), seed=5)
    plant_study(path, "first")
    plant_study(path, "second", chunks=(1 << 20,))
    with serving(path) as made:
        yield made


@THEMES
def test_from_the_list_to_the_runs_behind_a_cell(page, studied, idle, violations):
    page.goto(studied.enter("/studies"))
    page.wait_for_selector("tbody tr a")
    assert violations(page) == []
    page.get_by_role("link", name="first").click()
    page.wait_for_selector(".heat canvas")
    idle(page)
    assert page.locator(".panels figure").count() >= 1
    page.locator(".heat").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector(".cell tbody a")
    assert "cell=" in page.url
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    link = page.locator(".cell tbody a").first
    href = link.get_attribute("href")
    link.click()
    page.wait_for_url(f"{studied.url}{href}")


def test_two_studies_side_by_side(page, studied):
    page.goto(studied.enter("/studies/first"))
    page.wait_for_selector(".heat canvas")
    page.locator("label", has_text="Side by side").locator("select").select_option("second")
    page.wait_for_selector("article:nth-child(2)")
    assert "with=second" in page.url
    one, two = (page.locator("article").nth(number).bounding_box() for number in (0, 1))
    assert one["y"] == two["y"]
    assert two["x"] >= one["x"] + one["width"]


def test_no_such_study(page, studied):
    page.expected.append("404")
    page.goto(studied.enter("/studies/nobody"))
    page.wait_for_selector(".nothing h1")
    assert page.locator(".nothing h1").inner_text() == "There is no such study"


@pytest.mark.parametrize("look", [("light", 1280), ("dark", 390)], indirect=True)
def test_points_of_curves_by_keys_and_by_finger(page, studied, idle):
    page.goto(studied.enter("/studies/first"))
    page.wait_for_selector(".panels figure")
    idle(page)
    figure = page.locator(".panels figure").first
    plot, readout = figure.locator(".plot"), figure.locator(".readout")
    high = figure.bounding_box()["height"]
    # All that the curve's own words say is there to be read, point by point.
    words = plot.locator("svg").get_attribute("aria-label").split("; ")[0]
    points = re.findall(r"([\d.]+ [KM]iB) (\S+ %)", words)
    plot.focus()
    assert readout.get_attribute("aria-live") == "polite"
    assert plot.get_attribute("aria-describedby") == readout.get_attribute("id")
    for chunk, loss in points:
        page.keyboard.press("ArrowRight")
        said = readout.inner_text()
        assert chunk in said and loss in said, (said, chunk, loss)
        assert figure.locator(".ring").count() == 1
    page.keyboard.press("ArrowRight")
    assert readout.inner_text() == said  # the last one
    assert figure.bounding_box()["height"] == high
    page.keyboard.press("Tab")
    assert readout.inner_text() == ""
    box = plot.locator("svg").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert "%" in readout.inner_text()
