"""The matrix in a browser: its cells, and their runs."""

from __future__ import annotations

import pytest


@pytest.fixture
def matrix(page, served, idle):
    page.goto(served.enter("/matrix"))
    page.wait_for_selector(".heat canvas")
    idle(page)
    return page


def test_a_cell_opens_its_evidence_and_its_runs(matrix, served, violations):
    assert matrix.locator(".programs tbody tr").count() >= 2
    assert "not proven" in matrix.locator(".main .key").inner_text()
    matrix.locator(".heat").first.focus()
    matrix.keyboard.press("ArrowDown")
    said = matrix.locator(".main .said").first.inner_text()
    assert " by " in said
    for _ in range(12):  # to a pair that met
        if "did not run at the same time" not in matrix.locator(".main .said").first.inner_text():
            break
        matrix.keyboard.press("ArrowRight")
    matrix.keyboard.press("Enter")
    matrix.wait_for_selector(".evidence .runs tbody tr")
    assert "victim=" in matrix.url
    assert matrix.locator(".evidence svg circle").count() >= 1
    reported = matrix.locator(".evidence .verdict").inner_text()
    assert "no evidence" in reported or "too few to compare" in reported
    assert violations(matrix) == []
    matrix.reload()
    matrix.wait_for_selector(".evidence .runs tbody tr a")
    link = matrix.locator(".evidence .runs a").first
    href = link.get_attribute("href")
    link.click()
    matrix.wait_for_url(f"{served.url}{href}")


def test_a_cell_is_hit_by_the_mouse(matrix):
    canvas = matrix.locator(".heat canvas").first
    box = canvas.bounding_box()
    for row in range(24, int(box["height"]), 48):
        canvas.hover(position={"x": 20, "y": row})
        if matrix.locator(".main .said").first.inner_text():
            canvas.click(position={"x": 20, "y": row})
            matrix.wait_for_selector(".evidence")
            matrix.get_by_role("button", name="Close").click()
            matrix.wait_for_url(lambda url: "victim" not in url)
            matrix.wait_for_selector(".heat:focus")  # where the keyboard goes on
            return
    raise AssertionError("no cell in the first column")
