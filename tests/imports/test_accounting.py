"""Accounting of Slurm, PBS and LSF: jobs, states, nodes, waiting, energy; joined with logs."""

from __future__ import annotations

import os
from datetime import UTC
from pathlib import Path

import pytest
from command import jostle
from logs import START_NS, job, only, taken

from jostle.imports import AccountingError, AccountingImport, read_lsf, read_pbs, read_sacct
from jostle.imports.accounting.model import AccountedJob, expanded, seconds_of
from jostle.report.models.job.scheduler import scheduler_facts, with_facts
from jostle.report.models.jobs import job_row
from jostle.repository import Repository

START_S = START_NS // 10**9
COLUMNS = (
    "JobIDRaw|JobName|User|UID|Account|Partition|Submit|Start|End|State|NodeList|AllocCPUS"
    "|ConsumedEnergyRaw"
)
TIMES = f"{START_S - 90}|{START_S - 2}|{START_S + 30}"
SACCT = f"""{COLUMNS}
12|my|job|root|{os.getuid()}|chem|long|{TIMES}|COMPLETED|n[01-03]|96|
12.batch|batch|||chem||{START_S}|{START_S}|{START_S + 30}|COMPLETED|n01|32|1500
12.0|code|||chem||{START_S}|{START_S}|{START_S + 30}|COMPLETED|n[01-03]|96|4500
13|other|who|4242|bio|short|2026-11-20T10:00:00|2026-11-20T11:00:00|Unknown|RUNNING|n07|1|
14|stopped|who|4242|bio|short|{START_S}|{START_S}|{START_S + 5}|CANCELLED by 1000|n07|1|7
"""


def jobs_of(text: str, reader=read_sacct, **options) -> list[AccountedJob | str]:  # type: ignore[no-untyped-def]
    return [found for _, found in reader(text.splitlines(), **options)]


def test_sacct() -> None:
    first, second, third = jobs_of(SACCT, zone=UTC)
    assert isinstance(first, AccountedJob) and isinstance(second, AccountedJob)
    assert (first.name, first.nodes, first.cores) == ("my|job", ("n01", "n02", "n03"), 96)
    assert first.energy_j == 6000, "its steps have it"
    assert first.start_s - first.submit_s == 88
    assert (second.state, second.end_s) == ("running", 0)
    assert second.start_s - second.submit_s == 3600
    assert isinstance(third, AccountedJob)
    assert (third.state, third.energy_j) == ("cancelled", 7)


def test_bad_lines_stop_no_others() -> None:
    lines = SACCT.splitlines()
    lines[2:2] = [
        "garbage",
        lines[1].replace("n[01-03]", "n[01-99999999]").replace("12|", "15|", 1),
        lines[1].replace("12|", "../../etc|", 1),
        lines[1].replace(str(START_S + 30), "yesterday"),
        lines[1].replace(str(START_S + 30), "1"),
    ]
    found = jobs_of("\n".join(lines), zone=UTC)
    assert [each for each in found if isinstance(each, str)] == [
        "it has not as many columns as the first line",
        "it has more than 20000 nodes",
        "the job has no number",
        "one of the job's times is not valid",
        "the job's times are before the year 2000, or in the future",
    ]
    assert len(found) == 8


def test_the_first_line_must_name_the_columns() -> None:
    with pytest.raises(AccountingError, match="JobIDRaw, Submit"):
        jobs_of("JobID|Start|End|State\n12|1|2|COMPLETED\n")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n1", ["n1"]),
        ("n[1-3],m", ["n1", "n2", "n3", "m"]),
        ("r[0-1]n[08-10]", ["r0n08", "r0n09", "r0n10", "r1n08", "r1n09", "r1n10"]),
        ("n[1,3-4]x", ["n1x", "n3x", "n4x"]),
        ("", []),
    ],
)
def test_lists_of_nodes(text: str, names: list[str]) -> None:
    assert list(expanded(text)) == names


@pytest.mark.parametrize(
    "text",
    [
        *("n[1-", "n[3-1]", "n[a]", "n]1", "n[1-30000]", "n[1-999]m[1-999]"),
        pytest.param(f"n[{'9' * 5000}]", id="a number of 5000 digits"),
        pytest.param("n" + "[1]" * 2000, id="2000 ranges"),
    ],
)
def test_malformed_lists_of_nodes(text: str) -> None:
    with pytest.raises(AccountingError):
        expanded(text)


def test_spans() -> None:
    assert [seconds_of(text) for text in ("1-02:03:04", "03:04", "17", "UNLIMITED", "a-1")] == [
        93784,
        184,
        17,
        0,
        0,
    ]


def test_pbs() -> None:
    text = (
        "11/14/2023 22:00:00;Q;7.srv;queue=workq\n"
        "11/14/2023 22:13:20;S;7.srv;user=nobody group=g jobname=a b queue=workq "
        f"qtime={START_S - 60} start={START_S} exec_host=n1/0*8+n2/0*8 "
        "Resource_List.ncpus=16 Resource_List.mem=4gb\n"
        f"11/14/2023 22:14:00;E;7.srv;user=nobody jobname=a b queue=workq qtime={START_S - 60} "
        f"start={START_S} end={START_S + 40} exec_host=n1/0*8+n2/0*8 Exit_status=1 "
        "Resource_List.walltime=01:00:00\nrubbish\n"
    )
    begun, ended, wrong = jobs_of(text, read_pbs)
    assert isinstance(begun, AccountedJob) and isinstance(ended, AccountedJob)
    assert (begun.id, begun.state, begun.nodes, begun.memory_bytes) == (
        "7.srv",
        "running",
        ("n1", "n2"),
        4 << 30,
    )
    assert (ended.state, ended.exit, ended.name) == ("failed", "1:0", "a b")
    assert ended.time_limit_s == 3600
    assert wrong == "it is no line of PBS accounting"


def test_no_node_of_a_long_list_is_lost() -> None:
    names = [f"node{2 * number:05d}" for number in range(1500)]
    hosts = "+".join(f"{name}/0*64" for name in names)
    (job,) = jobs_of(
        f"11/14/2023 22:14:00;E;7.srv;user=ann qtime={START_S} start={START_S} "
        f"end={START_S + 40} exec_host={hosts} Exit_status=0\n",
        read_pbs,
    )
    assert isinstance(job, AccountedJob) and job.nodes == tuple(names)
    listed = f"node[{','.join(name.removeprefix('node') for name in names)}]"
    (job,) = jobs_of("\n".join(SACCT.splitlines()[:2]).replace("n[01-03]", listed))
    assert isinstance(job, AccountedJob) and job.nodes == tuple(names)


def test_lsf() -> None:
    line = (
        f'"JOB_FINISH" "10.1" {START_S + 50} 88 1001 33 4 {START_S - 10} 0 0 {START_S} "ann" '
        '"normal" "" "" "" "login1" "/home/ann" "" "out" "" "file" 0 2 "n1" "n2" 64 60.0 '
        '"a ""b""" "cmd"'
    )
    done, short = jobs_of(f"{line}\n{line[:120]}\n", read_lsf)
    assert isinstance(done, AccountedJob)
    assert (done.id, done.uid, done.nodes, done.state, done.name) == (
        "88",
        1001,
        ("n1", "n2"),
        "completed",
        'a "b"',
    )
    assert short == "it is incomplete"


def test_what_is_known_is_not_taken_again(store: Repository) -> None:
    first = AccountingImport(store).run(read_sacct, SACCT.splitlines())
    assert (first.jobs, first.imported, first.known) == (3, 3, 0)
    again = AccountingImport(store).run(read_sacct, SACCT.splitlines())
    assert (again.imported, again.known) == (0, 3)
    ended = SACCT.replace("Unknown|RUNNING", "2026-11-20T12:00:00|TIMEOUT")
    more = AccountingImport(store).run(read_sacct, ended.splitlines())
    assert (more.imported, more.known) == (1, 2), "the one that ran has ended"
    rows = store.query("SELECT id, state, energy_j FROM batch_jobs ORDER BY id").to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        ("12", "completed", 6000),
        ("13", "timeout", 0),
        ("14", "cancelled", 7),
    ]


@pytest.mark.in_turn
@pytest.mark.parametrize("first", ["log", "accounting"])
@pytest.mark.parametrize("system", ["darshan", "slurm"])
def test_logs_and_accounting_meet_in_either_order(
    store: Repository, tmp_path: Path, first: str, system: str
) -> None:
    steps = [
        lambda: taken(store, tmp_path / "logs", job(written=[[1]], uid=os.getuid()), system=system),
        lambda: AccountingImport(store).run(read_sacct, SACCT.splitlines()),
    ]
    for step in steps if first == "log" else reversed(steps):
        step()
    row = job_row(store, only(store))
    facts = scheduler_facts(store, row)
    assert facts is not None
    assert (facts.state, facts.account) == ("completed", "chem")
    assert (facts.waited_s, facts.energy_j) == (88, 6000)
    (listed,) = with_facts(store, [row])
    assert listed["scheduler"]["nodes"] == ["n01", "n02", "n03"]


def test_a_job_of_another_user_or_time_is_another_job(store: Repository, tmp_path: Path) -> None:
    AccountingImport(store).run(read_sacct, SACCT.splitlines())
    others = [
        job(written=[[1]], uid=os.getuid() + 1),
        job(written=[[2]], uid=os.getuid(), start_ns=START_NS + 10**15),
    ]
    taken(store, tmp_path / "logs", *others)
    for name in store.jobs()["job"].to_pylist():
        assert scheduler_facts(store, job_row(store, name)) is None


def test_the_command(tmp_path: Path) -> None:
    place = str(tmp_path / "repository")
    done = jostle("import", "sacct", "-", "--repository", place, "--zone", "UTC", stdin=SACCT)
    assert done.code == 0, done.err
    assert "3 batch jobs new of 3 lines about jobs, 0 known already" in done.out
    assert "States: completed 1, running 1, cancelled 1." in done.out
    bad = jostle("import", "sacct", "-", "--repository", place, stdin="JobID\n")
    assert bad.code == 2 and "does not name the columns" in bad.err
    gone = jostle("import", "pbs", str(tmp_path / "none"), "--repository", place)
    assert gone.code == 2 and "does not exist" in gone.err
