"""Waiting for cores, divided by account: sums, affinity, slices of different lengths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from alongside_maker import SLICE_NS, START, table, writer

from jostle.analysis import identify
from jostle.analysis.identification.core_account import LIMIT, OWN, STEAL, core_accounts
from jostle.analysis.identification.model import OTHERS
from jostle.analysis.identification.resources.shared import job_axis
from jostle.repository.query.resources.co_running import (
    NODE_METRICS,
    NODE_TIMES,
    CoRunning,
    JobFacts,
    hide,
)
from jostle.repository.query.resources.core_users import NO_TOTALS, NO_USERS, CoreUse

SLICES = 8
HOST = "n1"
_NODE_COLUMNS = (
    *NODE_METRICS,
    *(f"{name}_{what}" for name in NODE_TIMES for what in ("max", "min")),
)


def rows(
    job,
    cpu,
    *,
    queue=0.0,
    cpus="0-1",
    kind="job",
    awake=1,
    throttled=0.0,
    slice_s=1.0,
    first=0,
    number=SLICES,
    uid=-1,
):
    """One user of cores with the same CPU time (s) and waiting (s) in each of its slices."""
    length = round(slice_s * SLICE_NS)
    return [
        {
            "job": job,
            "kind": kind,
            "host": HOST,
            "cpus": cpus,
            "uid": uid,
            "start_ns": START * SLICE_NS + first * SLICE_NS + k * length,
            "length_ns": length,
            "cpu_ns": round(cpu * 1e9),
            "queue_ns": round(queue * 1e9),
            "awake": awake,
            "throttled_ns": round(throttled * 1e9),
        }
        for k in range(number)
    ]


def totals(busy, steal=0.0, cores=2):
    return [
        {
            "host": HOST,
            "start_ns": (START + k) * SLICE_NS,
            "length_ns": SLICE_NS,
            "busy_ns": round(busy * 1e9),
            "steal_ns": round(steal * 1e9),
            "cores": cores,
        }
        for k in range(SLICES)
    ]


def made(users, machine=(), **others) -> CoRunning:
    """A job `me` on one node, whose own slices are those of its rows."""
    mine = [row for row in users if row["job"] == "me"]
    cpu = np.array([row["cpu_ns"] for row in mine], dtype=float)
    queue = np.array([row["queue_ns"] for row in mine], dtype=float)
    own = table(
        {
            "host": [HOST] * len(mine),
            "slice": np.array([row["start_ns"] // row["length_ns"] for row in mine]),
            "slice_ns": np.array([row["length_ns"] for row in mine]),
            "count": np.ones(len(mine)),
            "os_user_ns": cpu,
            "os_runqueue_ns": queue,
            "os_runqueue_ns_max": queue,
            "os_user_ns_max": cpu,
        },
        _NODE_COLUMNS,
    )
    base = writer(np.ones(SLICES), {})
    names = {row["job"] for row in users if row["kind"] == "job"} - {"me"}
    facts = {
        name: JobFacts(
            job=name,
            program=f"/bin/{name}",
            user=others.get(name, 1000),
            nodes=(HOST,),
            start_ns=START * SLICE_NS,
            end_ns=(START + SLICES) * SLICE_NS,
            slice_ns=SLICE_NS,
        )
        for name in names
    }
    use = CoreUse(
        pa.Table.from_pylist(users, NO_USERS.schema),
        pa.Table.from_pylist(list(machine), NO_TOTALS.schema),
    )
    return replace(
        base,
        others=facts,
        own_nodes=own,
        own_mounts=base.own_mounts.slice(0, 0),
        core_use=use,
        job=replace(base.job, nodes=(HOST,)),
    )


def parts(alongside):
    (found,) = core_accounts(alongside, job_axis(alongside))
    account = found.account
    assert sum(part.seconds.value for part in account.parts) == pytest.approx(account.waited_s)
    by_slice = np.sum([account.series[part.name] for part in account.parts], axis=0)
    mine = [
        row["queue_ns"] / 1e9 for row in alongside.core_use.users.to_pylist() if row["job"] == "me"
    ]
    assert by_slice.sum() == pytest.approx(sum(mine))
    for part in account.parts:
        assert part.seconds.low <= part.seconds.value <= part.seconds.high
    return {part.name: part.seconds.value / account.waited_s for part in account.parts}


def test_steady_load_is_named_without_any_change_in_it() -> None:
    """Three loops on two cores, each with two thirds of one: nothing varies, nothing correlates."""
    loop = {"cpu": 2 / 3, "queue": 1 / 3}
    alongside = made([*rows("me", **loop), *rows("a", **loop), *rows("b", **loop)])
    assert parts(alongside) == pytest.approx({"a": 0.5, "b": 0.5}, abs=0.01)
    found = identify(alongside)
    assert [(each.job, each.how) for each in found.suspects] == [("a", "account"), ("b", "account")]
    assert found.seconds.value == pytest.approx(SLICES / 3, rel=0.01)
    assert sum(each.seconds.value for each in found.suspects) == pytest.approx(found.seconds.value)
    assert not found.ruled_out
    (account,) = found.to_json()["accounts"]  # not slice by slice
    assert set(account) == {"host", "waited_s", "parts", "totals_known"}


def test_coarse_slices_are_aligned_by_overlap() -> None:
    """A neighbour with slices of 4 s, a job of 1 s, and the reverse: the same shares."""
    me, a = rows("me", 0.5, queue=0.5, cpus="0"), rows("a", 0.3, cpus="0")
    fine = parts(made([*me, *a, *rows("b", 0.2, cpus="0")]))
    coarse = parts(made([*me, *a, *rows("b", 0.8, cpus="0", slice_s=4.0, number=2)]))
    assert fine == pytest.approx({"a": 0.6, "b": 0.4}, abs=0.01)
    assert coarse == pytest.approx(fine, abs=0.01)
    mine = parts(
        made(
            [
                *rows("me", 2.0, queue=2.0, cpus="0", slice_s=4.0, number=2),
                *a,
                *rows("b", 0.2, cpus="0"),
            ]
        )
    )
    assert mine == pytest.approx(fine, abs=0.01)


def test_who_ran_in_another_slice_or_on_other_cores_has_no_part() -> None:
    me = [
        *rows("me", 0.5, queue=0.5, cpus="0", number=4),
        *rows("me", 1.0, cpus="0", first=4, number=4),
    ]
    alongside = made(
        [
            *me,
            *rows("now", 0.5, cpus="0", number=4),
            *rows("later", 0.5, cpus="1", first=4, number=4),
            *rows("away", 1.0, cpus="1"),
        ]
    )
    assert parts(alongside) == pytest.approx({"now": 1.0, "later": 0.0, "away": 0.0}, abs=0.01)
    found = identify(alongside)
    assert [each.job for each in found.suspects] == ["now"]
    assert {"later", "away"} <= set(found.ruled_out)
    assert "0.0%" in found.ruled_out["away"]


def test_a_user_of_all_cores_runs_where_there_is_room() -> None:
    """Core 1 is full with `pinned`: what `free` used it used on core 0, with the job."""
    alongside = made(
        [
            *rows("me", 0.5, queue=0.5, cpus="0"),
            *rows("pinned", 1.0, cpus="1"),
            *rows("free", 0.5, cpus="0-1"),
        ]
    )
    assert parts(alongside)["free"] == pytest.approx(1.0, abs=0.02)


def test_the_rest_of_the_machine_is_not_profiled() -> None:
    users = [*rows("me", 2 / 3, queue=1 / 3), *rows("a", 2 / 3)]
    name = f"unprofiled load of {HOST}"
    assert parts(made(users, totals(2.0)))[name] == pytest.approx(0.5, abs=0.01)
    # Without a count of the machine it follows from the waiting: three threads share two cores.
    assert parts(made(users))[name] == pytest.approx(0.5, abs=0.02)
    # A watched process has its name, and explains the rest.
    dd = rows("dd (pid 4711, root)", 2 / 3, kind="unprofiled", uid=0)
    found = parts(made([*users, *dd], totals(2.0)))
    assert found == pytest.approx({"a": 0.5, "dd (pid 4711, root)": 0.5}, abs=0.01)


def test_own_threads_limit_and_hypervisor_are_causes_of_their_own() -> None:
    crowd = rows("me", 1.6, queue=2.4, awake=4)
    found = parts(made([*crowd, *rows("a", 0.4)]))
    assert found == pytest.approx({OWN: 0.75, "a": 0.25}, abs=0.01)
    limited = rows("me", 0.5, queue=0.5, throttled=0.4)
    assert parts(made([*limited, *rows("a", 1.0)]))[LIMIT] == pytest.approx(0.8)
    stolen = parts(made([*rows("me", 0.5, queue=0.5), *rows("a", 0.75)], totals(1.25, steal=0.75)))
    assert stolen == pytest.approx({"a": 0.5, STEAL: 0.5}, abs=0.01)
    assert not identify(made(rows("me", 0.5, queue=0.5, throttled=0.5))).suspects


def test_other_users_are_one_for_a_viewer() -> None:
    alongside = made(
        [
            *rows("me", 0.5, queue=0.5, cpus="0"),
            *rows("a", 0.2, cpus="0"),
            *rows("b", 0.2, cpus="0"),
            *rows("c", 0.1, cpus="0"),
            *rows("dd (pid 1, x)", 0.1, cpus="0", kind="unprofiled", uid=2000),
        ],
        a=2000,
        b=2001,
    )
    hidden = hide(alongside, {1000}, OTHERS)
    names = set(hidden.core_use.users["job"].to_pylist())
    assert names == {"me", "c", OTHERS}
    assert parts(hidden) == pytest.approx({OTHERS: 0.83, "c": 0.17}, abs=0.01)


def test_programs_of_other_users_have_no_name_where_no_job_ran_either() -> None:
    strange = rows("dd (pid 7, bob)", 0.5, cpus="0", kind="unprofiled", uid=2000)
    alongside = made([*rows("me", 0.5, queue=0.5, cpus="0"), *strange])
    assert not alongside.others
    found = identify(alongside, as_user=1000)
    assert "bob" not in repr(found.to_json())
    assert [suspect.job for suspect in found.suspects] == [OTHERS]
    assert found.neighbours == 1 and found.unnamed
    for users in (None, {2000}):
        (own,) = identify(alongside, as_user=users).suspects
        assert own.job == "dd (pid 7, bob)"


def test_nobody_is_cleared_who_was_not_tested() -> None:
    """Eight slices decide nothing about calls on files: a concurrent writer is not ruled out."""
    found = identify(writer(np.ones(SLICES), {"other": np.full(SLICES, 5e7)}))
    assert not found.ruled_out
    assert "too few slices" in found.untested["other"].why
    assert "`jostle run --slice" in found.untested["other"].decided_by
    # Twice the slices, and a load that never changed: shorter slices would not help.
    steady = identify(writer(np.ones(240), {"other": np.full(240, 5e7)}))
    assert not steady.ruled_out
    assert "jostle compare" in steady.untested["other"].decided_by
