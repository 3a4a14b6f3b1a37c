"""Hostile names and numbers: no command and no answer fails because of another user's data."""

from __future__ import annotations

import csv
import resource
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from click.testing import CliRunner
from server_fixtures import Hall, hall
from support import SLICE, make_profile
from users import U1, U2, Put

from assessing import in_our_process
from jostle.cli.commands.record.ingest import command as ingest
from jostle.repository import Repository
from synth import EPOCH, SECOND, Profile, mount_record

NAMES = {
    "page of another": "a/verdict",
    "lines": "two\nlines\rand\ttabs",
    "at": "x@y@3",
    "come back": "mpi-deadbeef@x",
    "formula": '=HYPERLINK("http://e")',
    "minus": "-1+1",
    "at first": "@SUM(A1)",
    "folders": "..",
    "path": "../../etc/passwd",
    "none": "",
    "marks": '\'; DROP TABLE jobs; -- "100%41" a+b?c=d#e&f <img src=x>',
    "wide and turned": "\u202egnp.\u0416\u6f22\U0001f9ea",
}
YEAR = 31_556_952 * SECOND


def large_mount() -> Profile:
    """A device number that no column holds."""
    made = make_profile(1, "evil")
    made.add_mount(2, "/x", "ext4", "/dev/x", (7, 7))
    made.records[-1] = mount_record(2, 2**63 + 5, 2**64 - 1, 1, 1, "/x", "ext4", "/dev/x")
    return made


def claims(years: float, slice_ns: int = SLICE) -> Profile:
    """A life of many years, which ends now."""
    now = time.time_ns()
    made = Profile(job="evil", slice_ns=slice_ns, start_ns=now - int(years * YEAR), pid=9)
    made.add_slice(made.first_slice, {"os_user_ns": 5})
    made.add_slice(now // slice_ns - 2, {"os_user_ns": 5})
    made.end_ns, made.end_reason = now - SECOND, 1
    return made


def ends_first() -> Profile:
    """It ends before it begins."""
    made = make_profile(2, "evil")
    made.end_ns = EPOCH - 10**15
    return made


def ends_before_its_slices() -> Profile:
    """All that it reports is of a time after its end."""
    made = Profile(job="evil", pid=8)
    for at in range(10, 15):
        made.add_slice(made.first_slice + at, {"os_user_ns": 5})
    made.end_ns, made.end_reason = EPOCH + 5 * SECOND, 1
    return made


def numbers(**header: int) -> Profile:
    """Absurd numbers of the header."""
    return make_profile(3, "evil", **header)


VALUES = {
    "device": large_mount,
    "seven years": lambda: claims(7),
    "two years in milliseconds": lambda: claims(2, SECOND // 1000),
    "ends before it begins": ends_first,
    "ends before its slices": ends_before_its_slices,
    "start": lambda: numbers(start_ns=2**62),
    "heartbeat": lambda: numbers(heartbeat_ns=2**64 - 1),
    "slice": lambda: Profile(job="evil", slice_ns=2**62),
    "clock": lambda: numbers(clock_state=2**32 - 1, clock_error_us=2**32 - 1),
    "threads": lambda: numbers(lost_threads=2**64 - 1),
}


def good(put: Put) -> None:
    """What another user has, which must come through."""
    put(make_profile(50, "good"), U2, "zz-good.jst")


@pytest.fixture
def centre(store: Repository, tmp_path: Path) -> Iterator[Hall]:
    """A server of the repository."""
    made = hall(store.path, tmp_path / "audit.jsonl")
    with in_our_process(), made.guest("adam"):  # it starts, and ends
        yield made


SHARED_ROUTES = (
    "jobs?limit=500",
    "system/span",
    "system/grid",
    "system/mounts",
    "matrix",
    "metrics",
    "studies",
)
JOB_ROUTES = (
    "jobs/{job}",
    "jobs/{job}/verdict",
    "jobs/{job}/figures",
    "jobs/{job}/series?metric=bytes&of=others",
    "jobs/{job}/series?metric=bytes",
    "jobs/{job}/grid?metric=bytes",
    "jobs/{job}/segments",  # estimates the job again
)


def answers(centre: Hall, guest: str, jobs: Iterable[str]) -> dict[str, int]:
    """Asks every route that shows jobs; returns the statuses."""
    client = centre.guest(guest)
    names = [quote(job, safe="") for job in jobs]
    found = {}
    for route in (*SHARED_ROUTES, *(r.format(job=n) for n in names for r in JOB_ROUTES)):
        for _ in range(3000):
            status = client.get(f"/api/v1/{route}").status_code
            if status != 202:
                break
            time.sleep(0.01)
        found[route] = status
    return found


def test_any_name_works_everywhere(
    store: Repository, spool: Path, put: Put, centre: Hall, tmp_path: Path
) -> None:
    for number, name in enumerate(NAMES.values()):
        put(make_profile(number, name), U1, f"{number}.jst")
    good(put)
    assert not store.ingest([spool]).warnings
    assert not store.ingest([spool]).warnings  # as one that follows does, repeatedly
    jobs = store.jobs()["job"].to_pylist()
    assert len(set(jobs)) == len(NAMES) + 1
    assert f"good@uid{U2}" in jobs
    assert all(job.isprintable() for job in jobs)
    found = answers(centre, "adam", jobs)
    assert set(found.values()) == {200}, found
    out = tmp_path / "out.csv"
    store.export("jobs", "csv", out)
    with out.open(newline="", encoding="utf-8") as file:
        reported = [row["job"] for row in csv.DictReader(file)]
    assert sorted(reported) == sorted(f"'{job}" if job[:1] in "=+-@" else job for job in jobs)


def test_a_file_name_writes_no_line_of_its_own(store: Repository, spool: Path, put: Put) -> None:
    """Whoever reads the ingester's log reads what the ingester says."""
    put(make_profile(1, "alpha"), U1, "a\nwarning: b.jst")
    (spool / "c\n\x1b[2Jwarning: d.jst").write_bytes(bytes(8192))
    reported = CliRunner().invoke(ingest, [str(spool), "--repository", str(store.path)])
    err = reported.stderr
    assert "c\\n\\x1b[2Jwarning: d.jst" in err
    assert err.count("\nwarning: ") + err.startswith("warning: ") == 1
    assert len(store.jobs()) == 1


@pytest.mark.parametrize("what", VALUES)
def test_no_number_fails_for_others(
    store: Repository, spool: Path, put: Put, centre: Hall, what: str
) -> None:
    put(VALUES[what](), U1, "a.jst")
    good(put)
    report = store.ingest([spool])
    jobs = {row["uid"]: row["job"] for row in store.jobs().to_pylist()}
    assert U2 in jobs
    assert U1 in jobs or any("left out" in one for one in report.warnings), report.warnings
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = answers(centre, "adam", jobs.values())
    assert set(found.values()) == {200}, found
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 1 << 20  # KiB: a gigabyte
    assert store.query("SELECT count(*) AS n FROM slices WHERE job LIKE 'good%'")["n"][0].as_py()


def test_what_makes_us_fail_is_set_aside(
    store: Repository, spool: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is not foreseen costs its own file: named once, and the rest goes on."""
    from jostle.repository.ingest import plan

    real = plan.profile_source

    def fails(header, *given):
        if header.pid == 1666:
            raise ZeroDivisionError("not foreseen\x1b[2J")
        return real(header, *given)

    monkeypatch.setattr(plan, "profile_source", fails)
    bad = put(make_profile(666, "evil"), U1, "m.jst")
    for number in range(20):
        put(make_profile(number, "good"), U2, f"{number:02}.jst")
    from jostle.repository.ingest.ingest import Ingester

    ingester = Ingester(store.path)
    first = ingester.run([spool])
    assert [one for one in first.warnings if str(bad) in one and "ZeroDivisionError" in one]
    assert all(one.isprintable() for one in first.warnings)
    assert first.finished == 20
    assert ingester.run([spool]).warnings == []
    monkeypatch.undo()
    with bad.open("ab") as file:  # it changes: it is tried again
        file.write(b"")
    bad.touch()
    assert ingester.run([spool]).finished == 1
