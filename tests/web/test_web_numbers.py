"""The numbers of the pages are those of the commands: the demo's, and of synthetic jobs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from web_fixtures import SEGMENTS, Served, jobs_of, serving

from assessing import at_our_priority

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))

from command import jostle

PROBE = "demo.r01-p001.writer"
_UNITS = {
    "": 1.0,
    "%": 1.0,
    "k": 1e3,
    "M": 1e6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "min": 60.0,
    "B": 1.0,
    "KiB": 2.0**10,
    "MiB": 2.0**20,
    "GiB": 2.0**30,
}


def numbers(text: str) -> list[tuple[float, float]]:
    """Reads the numbers of a text: each with half of its last digit."""
    found = []
    for number, unit in re.findall(r"(\d[\d,]*(?:\.\d+)?)\s*(µs|ms|min|s|[KMG]iB|B|k|M|%)?", text):
        places = len(number.partition(".")[2])
        scale = _UNITS[unit]
        found.append((float(number.replace(",", "")) * scale, 0.501 * 10**-places * scale))
    return found


def same(text: str, *truth: float) -> bool:
    """Whether a text has these numbers, rounded, and no others."""
    said = numbers(text)
    return len(said) == len(truth) and all(
        abs(value - true) <= step for (value, step), true in zip(said, truth, strict=True)
    )


def printed(repository: Path, *words: str) -> dict[str, Any]:
    """The JSON output of a command."""
    done = jostle(*words, "--json", "--repository", str(repository))
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def verdict_is_that_of_the_command(page: Any, made: Served, job: str) -> None:
    """Compares the head of a job's page, and its row of the list, with `jostle estimate`."""
    found = printed(made.repository, "estimate", job)
    head = found["head"]
    percent, lost = head["percent"], head["lost_s"]
    page.goto(made.enter(f"/jobs/{job}"))
    page.wait_for_selector("section.verdict")
    verdict = page.locator("section.verdict")
    assert same(verdict.locator(".number").inner_text(), percent["value"])
    assert same(verdict.locator(".within").inner_text(), percent["low"], percent["high"])
    own, *taken = verdict.locator("figcaption > span").all_inner_texts()
    assert same(own, head["intrinsic_s"]), own
    parts = [lost]
    if len(taken) == 2:  # what no profiled job explains is apart where there is room for it
        parts = [found["attribution"]["unexplained_s"], found["attribution"]["explained_s"]]
    for text, part in zip(taken, parts, strict=True):
        assert same(text, part["value"], part["low"], part["high"]), text
    word, decided = verdict.locator(".word").inner_text(), verdict.locator(".decided")
    assert ("Undecided" in word) == (head["light"] is None)
    if head["light"] is None:
        assert head["undecided"] in word
        assert head["decided_by"] in decided.inner_text()
    else:
        assert decided.count() == 0
    covered = verdict.locator("dl > div", has_text="Covered").locator("dd").first.inner_text()
    assert same(covered, 100 * found["coverage"]), covered
    page.goto(f"{made.url}/jobs?search={job}")
    row = page.get_by_role("row").filter(has=page.locator(f"a[href='/jobs/{job}']"))
    assert same(row.locator(".lost b").inner_text(), percent["value"])
    assert same(row.locator(".lost small").inner_text(), lost["value"])


def digest_is_that_of_the_command(page: Any, made: Served, job: str) -> None:
    """Compares the digest of a job's page with `jostle digest`."""
    digest = printed(made.repository, "digest", job)

    def total(*metrics: str) -> float:
        return float(sum(digest["metrics"].get(name, {"total": 0})["total"] for name in metrics))

    truth = (
        {"Run time": digest["seconds"]}
        | {
            name: total(*(f"{module}_write_{what}" for module in ("posix", "stdio"))) * scale
            for name, what, scale in (
                ("Bytes written", "bytes", 1),
                ("Write calls", "ops", 1),
                ("Time in writes", "ns", 1e-9),
            )
        }
        | {
            "CPU time": total("os_user_ns", "os_system_ns") / 1e9,
            "Waiting for a core": total("os_runqueue_ns") / 1e9,
        }
    )
    page.goto(f"{made.url}/jobs/{job}")
    page.wait_for_selector("section[aria-label=Digest] tbody tr")
    rows = {
        row.locator("th").inner_text(): row.locator("td.strong").inner_text()
        for row in page.locator("section[aria-label=Digest] tbody tr").all()
    }
    both_have = truth.keys() & rows.keys()
    assert {name for name, value in truth.items() if value} <= both_have
    wrong = {name: (rows[name], truth[name]) for name in both_have}
    wrong = {name: both for name, both in wrong.items() if not same(*both)}
    assert wrong == {}, wrong
    # Among other runs: all that the page gets; it shows the median, or the ends of few.
    among = digest["figures"]
    headers = {"Authorization": f"Bearer {made.access.token}"}
    figures = httpx.get(f"{made.url}/api/v1/jobs/{job}/figures", headers=headers, timeout=60)
    assert figures.json() == among
    if among["runs"]:
        others = {one["name"]: one["others"] for one in among["figures"]}
        known = {
            name: [found["median"]] if found["median"] else sorted({found["min"], found["max"]})
            for name, found in others.items()
        }
        shown = {
            row.locator("th").inner_text(): row.locator("td").nth(5).inner_text()
            for row in page.locator("section[aria-label=Digest] tbody tr").all()
        }
        assert shown.keys() == known.keys()
        assert [name for name in shown if not same(shown[name], *known[name])] == []


def test_injected_jobs(page, assessed):
    for job in (
        next(one for one in jobs_of(assessed.repository) if one.startswith("replay")),
        SEGMENTS,
    ):
        verdict_is_that_of_the_command(page, assessed, job)
        digest_is_that_of_the_command(page, assessed, job)


@pytest.mark.in_turn
@pytest.mark.slow
@pytest.mark.usefixtures("library")
def test_the_demo_prints_what_its_page_shows(page, tmp_path: Path) -> None:
    # `make demo` is the one in a lab; studies in labs have tests of their own.
    done = jostle("demo", "--local", XDG_DATA_HOME=str(tmp_path), TMPDIR=str(tmp_path))
    assert done.code == 0, done.err
    kept = tmp_path / "jostle-demo"
    for part in (
        "$ jostle study run ",
        "$ jostle study show demo --plot",
        "$ jostle estimate demo.r01-p001.writer",
        "Dilation",
        "Degradation",
        "$ jostle estimate demo.r01-a001.writer",
        "Was the verdict correct?",
        "http://127.0.0.1:8642/jobs/demo.r01-p001.writer",
        f"The picture: {kept}/pictures/time-slices",
    ):
        assert part in " ".join(done.out.split())
    (picture,) = (kept / "pictures").glob("time-slices-*.png")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert f"export JOSTLE_REPOSITORY={kept}/repository" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["jostle-demo"]
    assert not list(Path("/run/jostle-lab").glob("demo*"))
    # The neighbour pauses, and the writer is the longer for it.
    place = {"JOSTLE_REPOSITORY": str(kept / "repository")}
    content = json.loads(jostle("timeline", "demo.r01-p001.neighbour", "--json", **place).out)
    written = content["metrics"][0]["jobs"][0]["values"] if "metrics" in content else [0]
    assert 0 in written
    result = json.loads(jostle("study", "show", "demo", "--json", **place).out)
    assert len(result["cells"]) == 1
    with at_our_priority(), serving(kept / "repository") as made:
        verdict_is_that_of_the_command(page, made, PROBE)
        digest_is_that_of_the_command(page, made, PROBE)
