"""A synthetic repository, its server, and a browser that fails tests on any console error.

`page` is a page of that browser; ask for another theme or width with

    @pytest.mark.parametrize("look", [("dark", 390)], indirect=True)

A console error, a request that leaves the server, or an exception on a page fails its test;
answers of 4xx that a test wants are named by `expects`.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

sys.path.insert(0, str(Path(__file__).parent))  # web_fixtures, web_looks

from web_fixtures import ENDED, Served, closed_to_all_but_anne, plant_ground, serving
from web_looks import HEIGHTS

from assessing import at_our_priority

ROOT = Path(__file__).parents[2]
AXE = ROOT / "ui/node_modules/axe-core/axe.min.js"
CHROMIUM = shutil.which("chromium")
#: No graphics card, no hints of fonts: a page looks alike wherever it is drawn.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
    "--disable-lcd-text",
]
_PATIENCE_MS = 90_000  # a busy machine is no defect


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares the options that rewrite pictures."""
    group = parser.getgroup("web")
    group.addoption("--update-golden", action="store_true", help="pages look right as they are")
    group.addoption(
        "--update-tutorial", action="store_true", help="rewrite the tutorial's pictures"
    )


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The synthetic repository, served to whoever started it."""
    path = plant_ground(tmp_path_factory.mktemp("web") / "repository")
    with at_our_priority(), serving(path) as made:
        yield made


@pytest.fixture(scope="session")
def assessed(served: Served) -> Served:
    """Waits until all verdicts are made."""
    headers = {"Authorization": f"Bearer {served.access.token}"}
    with httpx.Client(base_url=served.url, headers=headers, timeout=120) as client:
        for row in client.get("/api/v1/jobs").json()["jobs"]:
            while client.get(f"/api/v1/jobs/{row['job']}/verdict").status_code == 202:
                time.sleep(0.1)
    return served


@pytest.fixture(scope="session")
def closed(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The synthetic repository, for anne alone."""
    with closed_to_all_but_anne(served.repository, tmp_path_factory.mktemp("closed")) as made:
        yield made


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium, started once."""
    sync_api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("there is no chromium")
    with sync_api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield made
        made.close()


@pytest.fixture
def look(request: pytest.FixtureRequest) -> tuple[str, int]:
    """Theme and width of `page`."""
    return getattr(request, "param", ("light", 1280))


@pytest.fixture(scope="session")
def contexts(browser: Any) -> dict[tuple[Any, ...], Any]:
    """Contexts of the browser by purpose: one that is used again has the bundle cached."""
    return {}


@pytest.fixture
def new_page(browser: Any, contexts: dict[tuple[Any, ...], Any]) -> Iterator[Callable[..., Any]]:
    """Opens pages: `new_page(theme, width)`, each for a new visitor."""
    pages, wrong = [], []

    def make(theme: str = "light", width: int = 1280, **more: Any) -> Any:
        kind = (theme, width, *sorted(more.items()))
        if kind not in contexts:
            contexts[kind] = browser.new_context(
                viewport={"width": width, "height": HEIGHTS.get(width, 800)},
                color_scheme=theme,
                locale="en-GB",
                reduced_motion="reduce",
                **{"timezone_id": "UTC", **more},
            )
        made = contexts[kind].new_page()
        pages.append(made)
        made.set_default_timeout(_PATIENCE_MS)
        made.expected = []
        _watch(made, wrong)
        return made

    yield make
    for page in pages:
        if page.url.startswith("http"):
            page.evaluate("localStorage.clear()")
        page.close()
        page.context.clear_cookies()
    assert wrong == []


def _watch(page: Any, wrong: list[str]) -> None:
    """Records errors of a page; `page.expected` has parts of allowed messages."""

    def said(message: Any) -> None:
        known = list(page.expected)
        if message.location.get("url", "").startswith(tuple(ENDED)):
            known.append("ERR_CONNECTION")
        if message.type == "error" and not any(word in message.text for word in known):
            wrong.append(message.text)

    def asked(request: Any) -> None:
        here = page.url if page.url.startswith("http") else request.url
        home = "/".join(here.split("/")[:3])
        if not request.url.startswith((home + "/", "data:", "blob:")):
            wrong.append(f"off-origin: {request.url}")

    page.on("console", said)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", asked)


@pytest.fixture
def page(new_page: Callable[..., Any], look: tuple[str, int]) -> Any:
    """A page of the browser, light and 1280 wide unless `look` says otherwise."""
    return new_page(*look)


@pytest.fixture(scope="session")
def idle() -> Callable[[Any], None]:
    """Waits until all requests of a page are answered and drawn."""
    return lambda page: page.wait_for_selector("html[data-idle]", state="attached")


@pytest.fixture(scope="session")
def violations() -> Callable[[Any], list[str]]:
    """The findings of an accessibility checker on a page."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci in ui/")
    source = AXE.read_text()
    lean = "axe.run({resultTypes: ['violations'], selectors: false}).then(r => r.violations)"

    def check(page: Any) -> list[str]:
        if not page.evaluate("'axe' in window"):
            page.evaluate(source)
        found = page.evaluate(lean)
        return [f"{v['id']}: {v['nodes'][0]['html'][:200]}" for v in found]

    return check
