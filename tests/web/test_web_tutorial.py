"""The tutorial works, and shows the real pages: pytest --update-tutorial takes its pictures.

They show the synthetic repository of these tests, so that nobody's own jobs are in the manual.
"""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from PIL import Image

DOCS = Path(__file__).parents[2] / "docs/tutorials"
PICTURES = DOCS / "web"


def keep(page, name, **more):
    """Writes a picture in few colours, since the manual is part of every clone."""
    PICTURES.mkdir(exist_ok=True)
    picture = Image.open(io.BytesIO(page.screenshot(animations="disabled", **more)))
    few = picture.convert("RGB").quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(PICTURES / f"{name}.png", optimize=True)


def test_every_picture_is_used_and_is_there():
    used = set(re.findall(r"\(web/([\w-]+\.png)\)", (DOCS / "web.md").read_text()))
    assert used == {path.name for path in PICTURES.glob("*.png")}
    assert sum(path.stat().st_size for path in PICTURES.glob("*.png")) < 800_000


@pytest.mark.in_turn
def test_what_the_tutorial_does_can_be_done(new_page, assessed, idle, request):
    """Goes through the tutorial, and takes its pictures on request."""
    update = request.config.getoption("--update-tutorial", default=False)
    page = new_page("light", 1280)

    def show(name, **more):
        idle(page)
        if update:
            keep(page, name, **more)

    page.goto(assessed.enter("/jobs"))
    idle(page)
    page.get_by_role("button", name="Lost", exact=False).and_(page.locator(".head button")).click()
    show("jobs", clip={"x": 0, "y": 0, "width": 1280, "height": 610})
    page.locator(".jobs .row a", has_text="logger").click()
    page.wait_for_selector(".stack canvas")
    assert "to others that were profiled" in page.locator(".verdict h1").inner_text()
    show("job")
    page.locator(".suspects button").first.click()
    page.locator(".stack").focus()
    page.keyboard.press("+")
    page.wait_for_url("**show=**from=**")
    card = page.locator("section", has=page.locator(".stack")).first
    card.scroll_into_view_if_needed()
    idle(page)
    if update:
        keep(card, "slices")
    page.goto(f"{assessed.url}/system")
    page.wait_for_selector("main canvas")
    show("system")
    if not update:
        assert (PICTURES / "job.png").exists()


@pytest.mark.parametrize("picture", ["jobs", "job", "slices", "system"])
def test_a_picture_says_in_words_what_it_shows(picture):
    text = (DOCS / "web.md").read_text()
    said = re.search(rf"!\[([^\]]+)\]\(web/{picture}\.png\)", text)
    assert said
    assert len(said[1]) > 30
