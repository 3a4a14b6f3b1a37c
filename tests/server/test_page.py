"""Loading of pages: compressed files, preloads, and answers without delay."""

import gzip
import re
import socket
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from jostle.cli.commands.look.serve import _listening
from jostle.server.transport.front_end import _PAGES, Assets, links
from jostle.server.verdicts.verdict_payload import page_payload


@pytest.fixture
def assets(tmp_path):
    for name in (
        "JobPage-Ab1.js",
        "JobPage-Ab1.css",
        "JobsPage-Cd2.js",
        "index-Ef3.js",
        "inter-Gh4.woff2",
    ):
        (tmp_path / name).write_text(f"{name} " * 200)
    return tmp_path


def test_a_page_names_what_it_needs(assets):
    found = links(assets, "jobs/a b>").split(", ")
    assert found == [
        "</assets/JobPage-Ab1.css>; rel=preload; as=style; crossorigin",
        "</assets/JobPage-Ab1.js>; rel=modulepreload",
        "</assets/inter-Gh4.woff2>; rel=preload; as=font; type=font/woff2; crossorigin",
        "</api/v1/jobs/a%20b%3E/verdict?drawn=true>; rel=preload; as=fetch; crossorigin",
    ]
    assert "JobsPage-Cd2.js" in links(assets, "")
    assert links(assets, "nowhere") == ""


def test_every_page_that_is_named_has_its_source():
    sources = Path(__file__).parents[2] / "ui/src/pages"
    for page in {name for pair in _PAGES.values() for name in pair if name}:
        assert len([*sources.glob(f"*/{page}Page.svelte")]) == 1, page
    router = (sources.parent / "shell/router.ts").read_text()
    routes = set(re.findall(r"\[/\^.*'\.\./pages/\w+/(\w+)Page\.svelte'", router))
    assert routes == {name for pair in _PAGES.values() for name in pair if name}


def test_files_travel_packed_for_who_can_unpack(assets):
    app = Starlette()
    app.mount("/assets", Assets(directory=assets))
    with TestClient(app) as client:
        packed = client.get("/assets/JobPage-Ab1.js", headers={"Accept-Encoding": "gzip"})
        plain = client.get("/assets/JobPage-Ab1.js", headers={"Accept-Encoding": "identity"})
    assert packed.text == plain.text == (assets / "JobPage-Ab1.js").read_text()
    assert int(packed.headers["content-length"]) == len(gzip.compress(plain.content, 9))
    assert "content-encoding" not in plain.headers
    for answer in (packed, plain):
        assert "javascript" in answer.headers["content-type"]
        assert "immutable" in answer.headers["cache-control"]


def test_no_answer_waits_for_the_word_that_its_head_came():
    with _listening("127.0.0.1", 0) as place:
        assert place.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_verdict_for_a_page_has_what_it_draws():
    resource = {
        "resource": "/fs0",
        "steps_ns": [0, 4],
        "service": [1.23456789, None],
        "own_load": [1.0, 2.0],
        "others_load": [3.0, 4.0],
    }

    def hit(start: int, end: int) -> dict:
        return {"start_ns": start, "end_ns": end, "seconds": 0.5, "resource": "/fs0"}

    whole = {
        "estimate": {
            "hits": [hit(0, 2), hit(2, 3), hit(4000, 5000)],
            "percent": 3.0,
            "start_ns": 0,
            "end_ns": 8000,
        },
        "interference": {
            "resources": [resource, resource],
            "neighbours": 2,
            "disturbed": [{"start_ns": 0, "seconds": 0.123456789}],
        },
    }
    found = page_payload(whole)
    # One of 2000 columns is 4 ns wide: what lies in one of them is one span.
    one = {"start_ns": 0, "end_ns": 3, "seconds": 1.0, "resource": "/fs0", "parts": []}
    assert found["estimate"]["hits"] == [one, hit(4000, 5000) | {"parts": []}]
    first, second = found["interference"]["resources"]
    assert (first["steps_ns"], first["service"]) == ([0, 4], [1.235, None])
    assert (second["steps_ns"], second["service"], first["own_load"]) == ([], [], [])
    assert found["interference"]["disturbed"] == [{"start_ns": 0, "seconds": 0.123457}]
    assert whole["estimate"]["hits"] and resource["own_load"], "the verdict itself is whole"
    alone = {"estimate": whole["estimate"], "interference": None}
    assert page_payload(alone) == alone
