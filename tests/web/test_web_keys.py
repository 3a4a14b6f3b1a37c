"""Every page by keyboard alone: all controls are reached with visible focus, and keys work."""

from __future__ import annotations

import re

import pytest
from web_fixtures import SEGMENTS

#: What one can act on, as a keyboard should find it.
ACTIVE = "a[href], button:enabled, input:enabled, select:enabled, summary, [tabindex='0']"
#: Marks those that are seen and in the order of tabs.
COUNT = f"""
() => [...document.querySelectorAll("{ACTIVE}")]
  .filter((one) => one.tabIndex >= 0 && one.checkVisibility({{visibilityProperty: true}})
    && !one.closest('dialog:not([open])'))
  .map((one, number) => {{
    one.dataset.walk = String(number);
    return one.outerHTML.slice(0, 120);
  }})
"""
#: Which one has the focus, and whether one sees that it has: by itself, or by its row.
HERE = """
() => {
  const one = document.activeElement;
  const seen = (part) => {
    if (!part) return false;
    const style = getComputedStyle(part);
    const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
    return ring || style.boxShadow !== 'none';
  };
  return [one?.dataset.walk ?? '', seen(one) || seen(one?.closest('.row'))];
}
"""


@pytest.mark.parametrize(
    "path",
    [
        "/jobs",
        "/jobs/replay-0003",
        f"/jobs/{SEGMENTS}",
        "/system",
        "/matrix",
        "/studies",
        "/losses?span=all",
        "/compare?job=burster-0001&job=burster-0004",
        "/login",
    ],
)
def test_tab_reaches_all_there_is(page, served, idle, path):
    page.goto(served.enter(path))
    idle(page)
    wanted = page.evaluate(COUNT)
    unseen, reached = [], set()
    for _ in range(len(wanted) + 12):
        page.keyboard.press("Tab")
        number, seen = page.evaluate(HERE)
        reached.add(number)
        if number and not seen:
            unseen.append(wanted[int(number)])
    missed = [text for number, text in enumerate(wanted) if str(number) not in reached]
    assert missed == []
    assert unseen == []


def test_the_list_without_a_mouse(page, served, idle):
    page.goto(served.enter("/jobs?sort=job"))
    idle(page)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    focused = "document.activeElement.textContent"
    assert page.evaluate(focused) == "relax-0007"  # live ones are on top
    page.keyboard.press("j")
    assert page.evaluate(focused) == "burster-0001"
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    assert page.locator(".picks").inner_text().startswith("2 jobs selected")
    page.keyboard.press("c")
    page.wait_for_url("**/compare?job=burster-0001&job=burster-0004")
    page.keyboard.press("/")
    page.wait_for_url(f"{served.url}/jobs")
    page.wait_for_selector("input[type=search]:focus")
    page.keyboard.type("logger")
    page.wait_for_url("**search=logger")
    idle(page)
    assert page.locator(".jobs .row a").all_inner_texts() == ["logger-0000"]
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/jobs/logger-0000")


def test_help_and_the_ways_from_page_to_page(page, served, idle, violations):
    page.goto(served.enter("/jobs"))
    idle(page)
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")
    for key, path in (
        ("s", "system"),
        ("l", "losses"),
        ("m", "matrix"),
        ("t", "studies"),
        ("j", "jobs"),
    ):
        page.keyboard.press("g")
        page.keyboard.press(key)
        page.wait_for_url(f"{served.url}/{path}**")
        idle(page)  # the second of two keys must not come much later than the first
    page.keyboard.press("d")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.keyboard.press("d")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_zoom_by_keys_is_in_the_address(page, served, idle):
    page.goto(served.enter("/jobs/replay-0003"))
    page.wait_for_selector(".stack canvas")
    idle(page)
    page.locator(".stack").focus()
    page.keyboard.press("+")
    page.wait_for_url("**from=**")
    zoomed = page.url
    page.reload()
    page.wait_for_selector(".stack canvas")
    assert page.url == zoomed
    page.locator(".stack").focus()
    page.keyboard.press("0")
    page.wait_for_url(re.compile(r"^((?!from=).)*$"))
