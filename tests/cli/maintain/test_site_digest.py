"""Digests at the end of jobs: when, with whose rights and where they are written."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from command import jostle

from jostle.cli.job_outputs import JobOutputs, SiteSettings, append_as, output_of, site_settings
from jostle.errors import UsageError
from jostle.repository import Repository
from synth import SECOND, Profile

NOBODY = 65534
NOW = time.time_ns() // SECOND * SECOND


def process(spool: Path, pid: int, host: str) -> None:
    made = Profile(
        job="slurm-5",
        program="/opt/solver",
        slice_ns=SECOND,
        pid=pid,
        host=host,
        start_ns=NOW - 60 * SECOND,
        end_ns=NOW - 10 * SECOND,
        end_reason=1,
    )
    made.add_slice(made.first_slice, {"os_user_ns": SECOND // 2})
    made.write(spool)


def ended(spool: Path, output: Path, **more: Any) -> None:
    facts = {
        "event": "end",
        "system": "slurm",
        "cluster": "big",
        "id": "5",
        "uid": os.geteuid(),
        "submit_ns": NOW - 90 * SECOND,
        "start_ns": NOW - 60 * SECOND,
        "time_ns": NOW - 10 * SECOND,
        "name": "wave",
        "partition": "long",
        "state": "completed",
        "exit": "0:0",
        "nodes": ["n1", "n2"],
        "output": str(output),
    }
    (spool / "batch-big-5.1.jsb").write_text(json.dumps(facts | more) + "\n")


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    folder = tmp_path / "spool"
    folder.mkdir()
    return folder


def test_it_waits_for_all_nodes_and_writes_once(tmp_path: Path, spool: Path) -> None:
    output = tmp_path / "slurm-5.out"
    output.write_text("what the job said\n")
    repository = Repository(tmp_path / "repository", create=True)
    outputs = JobOutputs(repository, SiteSettings("output", wait_s=3600), settle_s=0)
    process(spool, 1, "n1")
    ended(spool, output)
    repository.ingest([spool])
    assert outputs.turn() == [], "node n2 may have a profile, too"
    process(spool, 2, "n2")
    repository.ingest([spool])
    assert JobOutputs(repository, SiteSettings("output", wait_s=3600)).turn() == [], "it settles"
    assert outputs.turn() == [f"slurm-5: digest appended to {output}"]
    assert outputs.turn() == JobOutputs(repository, SiteSettings("output")).turn() == []
    text = output.read_text()
    assert text.startswith("what the job said\n---- jostle: slurm-5 wave, completed ---")
    assert "solver: 2 processes on 2 nodes in long" in text and "coverage" not in text


def test_what_is_missing_is_said(tmp_path: Path, spool: Path) -> None:
    """After a while: by the command, with the site's file."""
    output = tmp_path / "out"
    output.touch()
    process(spool, 1, "n1")
    ended(spool, output)
    Repository(tmp_path / "repository", create=True).ingest([spool])
    site = tmp_path / "site.conf"
    site.write_text("digest = output  # for all\nwait = 1s\nurl = https://jostle.example/\n")
    words = ("--config", str(site), "--repository", str(tmp_path / "repository"))
    done = jostle("site", "digest", *words)
    assert (done.code, done.out) == (0, f"slurm-5: digest appended to {output}\n"), done.err
    text = output.read_text()
    assert "coverage: profiles of 1 of 2 nodes; none of n2\n" in text
    assert "more: https://jostle.example/jobs?batch=5\n" in text


def test_old_notes_are_removed_and_no_other_file(tmp_path: Path) -> None:
    """The repository is not root's, and its folder of notes may be a link to one that is."""
    other = tmp_path / "etc"
    other.mkdir()
    for name in ("passwd", "4711"):
        (other / name).touch()
        os.utime(other / name, (NOW / SECOND - 100_000, NOW / SECOND - 100_000))
    repository = Repository(tmp_path / "repository", create=True)
    (tmp_path / "repository" / "digests").symlink_to(other)
    assert JobOutputs(repository, SiteSettings("output")).turn() == []
    assert [path.name for path in other.iterdir()] == ["passwd"]


def test_a_malformed_file(tmp_path: Path) -> None:
    site = tmp_path / "site.conf"
    for text, why in (
        ("digest = loud", "line 1"),
        ("\nwhat = 1", "line 2"),
        ("digest = mail", "needs the URL"),
    ):
        site.write_text(text)
        with pytest.raises(UsageError, match=why):
            site_settings(site)
    with pytest.raises(UsageError, match="cannot be read"):
        site_settings(tmp_path / "none")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_only_with_the_rights_of_the_user(tmp_path: Path) -> None:
    """A user's path leads neither to another's file nor through a link, nor makes a file."""
    for folder in (tmp_path, *tmp_path.parents[:3]):
        if folder.stat().st_uid == os.geteuid() and folder != Path("/tmp"):
            folder.chmod(0o755)
    place = tmp_path / "home"
    place.mkdir()
    os.chown(place, NOBODY, NOBODY)
    own, roots, link, fifo = (place / name for name in ("own", "roots", "link", "fifo"))
    for path in (own, roots):
        path.write_text("as it was\n")
    os.chown(own, NOBODY, NOBODY)
    link.symlink_to(own)
    os.mkfifo(fifo)
    os.chown(fifo, NOBODY, NOBODY)
    begin = time.monotonic()
    said = {
        path: append_as(NOBODY, str(path), "digest\n")
        for path in (own, roots, link, fifo, place / "new", Path("relative"))
    }
    assert time.monotonic() - begin < 5
    assert said[own] == f"digest appended to {own}"
    assert [path for path, words in said.items() if not words.endswith(": no digest")] == [own]
    assert "Permission denied" in said[roots]
    assert own.read_text() == "as it was\ndigest\n" and roots.read_text() == "as it was\n"
    assert not (place / "new").exists()


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/home/ada/slurm-%j.out", "/home/ada/slurm-12.out"),
        ("/x/%A_%4a-%x.%u", "/x/10_0002-climate.ada"),
        ("/x/100%%-%q", "/x/100%-%q"),
        ("/x/plain", "/x/plain"),
    ],
)
def test_a_pattern_of_slurm_becomes_a_path(pattern: str, path: str) -> None:
    facts = {
        "id": "12",
        "array_job": 10,
        "array_task": 2,
        "node": "n1",
        "user": "ada",
        "name": "climate",
        "output": pattern,
    }
    assert output_of(facts) == path
