"""Counts the API routes that each web page requests in Chromium, and the bytes of the UI's bundle.

A route that is requested several times counts once, since a page that is drawn slowly may repeat a
request.
"""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

from counts.figure import ROOT, Figure, Figures, UncountedError
from counts.injected import injected, settle
from counts.system_calls import made_of

_ASSETS = ROOT / "src" / "jostle" / "server" / "static" / "assets"
_PAGES = (
    "/",
    "/jobs/JOB",
    "/now",
    "/losses",
    "/system",
    "/network",
    "/nodes",
    "/matrix",
    "/studies",
    "/compare?job=JOB&job=OTHER",
)
#: Status of an answer that is still being made.
_BEING_MADE = 202
_FLAGS = ["--no-sandbox", "--disable-gpu"]
_PATIENCE_MS = 60_000


def measure() -> Figures:
    """Count routes and bytes; return the counts by name."""
    chromium = shutil.which("chromium")
    if not chromium or not _ASSETS.is_dir():
        raise UncountedError("there is no chromium, or the pages were not built")
    from playwright.sync_api import sync_playwright

    sys.path.append(str(ROOT / "tests" / "web"))
    import web_fixtures

    kinds = {"scripts": ".js", "styles": ".css", "fonts": ".woff2"}
    found = {
        f"bundle: bytes of {what}": Figure(
            sum(path.stat().st_size for path in _ASSETS.glob(f"*{suffix}"))
        )
        for what, suffix in kinds.items()
    }
    with injected("pages") as (repository, jobs, _), web_fixtures.serving(repository) as served:
        settle(repository, jobs)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
            context = browser.new_context(
                viewport={"width": 1280, "height": 800},
                locale="en-GB",
                timezone_id="UTC",
                reduced_motion="reduce",
            )
            _open(context, served.enter("/studies"))  # logs in, and loads the shell's files
            for page in _PAGES:
                path = page.replace("JOB", jobs[0]).replace("OTHER", jobs[1])
                found[f"{page}: routes"] = made_of(_settled(context, served.url + path))
            browser.close()
    return found


def _settled(context: Any, url: str) -> Counter[str]:
    """Open a page again until the server has computed all its data; return the requested routes."""
    for _ in range(10):
        answers = _open(context, url)
        if all(status != _BEING_MADE for _, status in answers):
            return Counter({path for path, _ in answers})
    raise RuntimeError(f"{url} never has all that it shows")


def _open(context: Any, url: str) -> list[tuple[str, int]]:
    """Open a page and wait until it is drawn; return requested routes, and statuses."""
    page = context.new_page()
    answers: list[tuple[str, int]] = []
    page.on("response", lambda answer: answers.append((urlsplit(answer.url).path, answer.status)))
    page.goto(url, timeout=_PATIENCE_MS)
    page.wait_for_selector("html[data-idle]", state="attached", timeout=_PATIENCE_MS)
    page.close()
    return [
        (path.removeprefix("/api/v1/"), status)
        for path, status in answers
        if path.startswith("/api/") and path != "/api/v1/live"
    ]
