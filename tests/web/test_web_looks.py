"""Pictures of every page: three widths, both themes, no findings of axe.

The pictures in golden/ are of one version of Chromium and are compared with that version only.
After a change that is meant, look at the new ones and keep them: pytest tests/web --update-golden.
A picture that differs is left in the test's folder as `seen-....png`.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from web_fixtures import SEGMENTS, STUDY
from web_looks import HEIGHTS, differs, keep

GOLDEN = Path(__file__).parent / "golden"
#: Name of a page, its address, and what is there once it has all.
PAGES = {
    "jobs": ("/jobs", ".jobs .row a"),
    "job": ("/jobs/replay-0003", ".stack canvas"),
    "segments": (f"/jobs/{SEGMENTS}", ".stack canvas"),
    "system": ("/system", "canvas"),
    "matrix": ("/matrix?victim=burster&aggressor=burster&kind=object%20servers", ".evidence .runs"),
    "studies": ("/studies", "tbody a"),
    "study": (f"/studies/{STUDY}?cell=writer~reader~1048576~3-2~", ".cell svg"),
    "compare": ("/compare?job=burster-0001&job=burster-0004", "main h1"),
    "login": ("/login", "main h1"),
    "form": ("/jobs", "main form"),
    "nothing": ("/jobs/nobody", ".nothing"),
}
#: The others are looked at in turn.
ALWAYS = {"jobs", "job", "system"}


@pytest.fixture(scope="session")
def comparable(browser, request):
    """Whether pictures of this browser can be compared with the stored ones."""
    version = GOLDEN / "chromium.txt"
    if request.config.getoption("--update-golden", default=False):
        version.parent.mkdir(exist_ok=True)
        version.write_text(browser.version + "\n")
    return version.exists() and version.read_text().strip() == browser.version


@pytest.mark.parametrize(
    "name",
    [name if name in ALWAYS else pytest.param(name, marks=pytest.mark.in_turn) for name in PAGES],
)
def test_a_page_looks_as_it_should(
    name, assessed, closed, page, idle, violations, comparable, request, tmp_path
):
    path, there = PAGES[name]
    page.expected += ["404", "401"] if name == "form" else ["404"]
    page.goto(closed.url + path if name == "form" else assessed.enter(path))
    page.wait_for_selector(there)
    wrong = []
    for width, theme in itertools.product((1280, 390, 2560), ("light", "dark")):
        page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.evaluate("() => new Promise((drawn) => setTimeout(drawn, 100))")
        idle(page)
        found = violations(page) if width != 2560 else []
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        found += [f"{wide} points too wide"] if wide > 0 else []
        # Who started the server stands on one page; he differs.
        mask = [page.locator(".card h1")] if name == "login" else []
        seen = page.screenshot(full_page=True, animations="disabled", caret="hide", mask=mask)
        golden = GOLDEN / f"{name}-{width}-{theme}.png"
        if request.config.getoption("--update-golden", default=False):
            keep(seen, golden)
        elif comparable and (said := differs(seen, golden)):
            (tmp_path / f"seen-{golden.name}").write_bytes(seen)
            found.append(f"{said}; see {tmp_path}")
        wrong += [f"{width}, {theme}: {one}" for one in found]
    assert wrong == []
    if not comparable:
        pytest.skip("no picture is compared: they are of another Chromium")
