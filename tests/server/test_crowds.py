"""What is told of others' load is told of a crowd, however one asks."""

from __future__ import annotations

import json
import random
import time

import numpy as np
import pytest
from server_ground import UIDS, hall

from jostle._schema import METRICS
from jostle.repository import Repository
from jostle.repository.layout import HOUR_NS
from jostle.server.crowds import LINES, may_be_told, suppress
from jostle.synthetic.planted.model import Spec
from jostle.synthetic.repository import plant
from jostle.told.metrics import VIEWS

MPI = next(line for line in LINES if "state_onesided_ns" in line)
WRITTEN = frozenset({"posix_write_bytes", "stdio_write_bytes"})


def crowd(*each):
    """One metric or several per user."""
    return {uid: {had} if isinstance(had, str) else set(had) for uid, had in enumerate(each)}


def test_lines_hold_one_another_or_share_nothing():
    """What the rule rests on: a view whose lines overlap otherwise needs another rule."""
    for one in LINES:
        for other in LINES:
            assert one <= other or other <= one or one.isdisjoint(other), (one, other)


def test_few_others_are_hidden_and_none_or_many_are_told():
    posix = frozenset({"posix_meta_ops"})
    assert may_be_told(posix, {})
    assert not may_be_told(posix, crowd("posix_meta_ops"))
    assert not may_be_told(posix, crowd("posix_meta_ops", "posix_meta_ops"))
    assert may_be_told(posix, crowd(*["posix_meta_ops"] * 3))
    assert may_be_told(posix, crowd("posix_seek_ops"))  # who was there without a load hides nothing


def test_parts_of_a_sum_are_told_all_or_none():
    """written less its part by POSIX is what the one did who uses stdio."""
    four = crowd(*["posix_write_bytes"] * 3, "stdio_write_bytes")
    assert may_be_told(WRITTEN, four)
    assert not may_be_told(frozenset({"posix_write_bytes"}), four)
    six = crowd(*["posix_write_bytes"] * 3, *["stdio_write_bytes"] * 3)
    assert may_be_told(frozenset({"posix_write_bytes"}), six)


def worked_out(told, active):
    """Tells of whom something can be worked out: users, of whom alone some sum of answers is.

    Args:
        told: Metrics of each answer.
        active: Metrics of each user.

    Some combination of the answers is of one or two users alone when it has no part in any metric
    that others are active in, and one in theirs: a matter of ranks.
    """
    names = sorted(set().union(*active.values()))
    rows = np.array([[name in line for name in names] for line in told], dtype=float)
    rank = {}

    def ranked(columns):
        key = frozenset(columns)
        if key not in rank:
            at = [names.index(name) for name in key]
            rank[key] = int(np.linalg.matrix_rank(rows[:, at])) if len(rows) and at else 0
        return rank[key]

    few = [{a, b} for a in active for b in active]
    others = [set().union(*(active[uid] for uid in active if uid not in some)) for some in few]
    return [some for some, of in zip(few, others, strict=True) if ranked(names) > ranked(of)]


@pytest.mark.parametrize("seed", range(40))
def test_no_sum_of_answers_is_of_a_few(seed):
    """Of random crowds, every line and metric is asked for, and all that is told put together."""
    chance = random.Random(seed)
    names = sorted(set().union(*LINES) if seed % 2 else MPI | WRITTEN)
    active = {
        uid: set(chance.sample(names, chance.randint(1, 4))) for uid in range(chance.randint(1, 9))
    }
    ask = [*LINES, *(frozenset({name}) for name in names)]
    told = [line for line in ask if may_be_told(line, active)]
    assert worked_out(told, active) == []
    if len(active) >= 3 and seed % 2 == 0:
        everybody = {uid: set(names) for uid in active}
        assert all(may_be_told(line, everybody) for line in ask if line <= set(names))


def test_an_hour_is_hidden_whole_whatever_the_steps():
    fine = suppress(np.ones(4 * 60), 0, HOUR_NS // 60, {1})
    assert np.isnan(fine[60:120]).all()
    assert not np.isnan(fine[:60]).any()
    assert not np.isnan(fine[120:]).any()
    coarse = suppress(np.ones((2, 3)), HOUR_NS // 2, HOUR_NS, {1})
    assert np.isnan(coarse).tolist() == [[True, True, False]] * 2
    assert suppress(np.ones(3), 10 * HOUR_NS, 5, {1}).tolist() == [1, 1, 1]


@pytest.fixture(scope="module")
def street(tmp_path_factory, users):
    """Six users on two file systems: on one of them five write and one alone reads."""
    folder = tmp_path_factory.mktemp("street")
    spec = Spec(jobs=16, slices=120, length=60, processes=2, mounts=2, users=6)
    plant(folder / "repository", spec, seed=5)
    return hall(folder / "repository", folder / "audit"), Repository(folder / "repository")


def test_nobody_is_worked_out_from_what_the_server_tells(street):
    """All views and metrics of all mounts are asked for; who did what is asked of the slices."""
    built, repository = street
    metrics = [m.id for m in METRICS if m.scope == "mount"]
    asked = [view for view in VIEWS if set(view.lines[0].metrics) <= set(metrics)]
    sums = ", ".join(f"sum({name}) AS {name}" for name in metrics)
    active = {}
    for row in repository.query(
        f"SELECT mount, uid, {sums} FROM mount_slices JOIN "
        "(SELECT DISTINCT job, uid FROM processes) USING (job) GROUP BY mount, uid"
    ).to_pylist():
        had = {name for name in metrics if row[name]}
        active.setdefault(row["mount"], {})[row["uid"]] = had
    client, mine = built.guest("bert"), UIDS["bert"]
    some_told = some_hidden = False
    for mount, users in active.items():
        others = {uid: had for uid, had in users.items() if uid != mine}
        told = []
        for lines in [*([line.metrics for line in view.lines] for view in asked),
                      *([(name,)] for name in sorted(set().union(*others.values())))]:  # fmt: skip
            name = lines[0][0] if len(lines) == 1 else next(
                view.name for view in asked if view.lines[0].metrics == lines[0])  # fmt: skip
            answer = client.get(f"/api/v1/system/mounts?metric={name}").json()
            here = next((one for one in answer["mounts"] if one["mount"] == mount), None)
            whole = here is not None and here["rest"] is not None and not here["few"]
            some_told, some_hidden = some_told or whole, some_hidden or not whole
            if whole:
                told.append(frozenset().union(*lines))
        assert worked_out(told, others) == [], mount
    assert some_told and some_hidden


def test_the_one_who_reads_is_hidden_beside_five_who_write(street):
    built, repository = street
    (job,) = repository.query(
        "SELECT job FROM processes JOIN rollup USING (job) WHERE uid = 60001 LIMIT 1"
    )["job"].to_pylist()
    for name, hidden in (("bert", {"read": True, "written": False}), ("sue", {})):
        answer = built.guest(name).get(f"/api/v1/jobs/{job}/series?of=others&metric=bytes").json()
        for line in answer["lines"]:
            few = None in line["mean"]
            assert few == hidden.get(line["name"], False), (name, line["name"])
        assert answer["few"] == bool(hidden)
    for metric, few in (("posix_write_bytes", False), ("posix_read_bytes", True)):
        grid = built.guest("bert").get(f"/api/v1/system/grid?metric={metric}&columns=50").content
        head = int.from_bytes(grid[:4], "little")
        columns = json.loads(grid[4 : 4 + head])["columns"]
        everybody = np.frombuffer(grid[4 + head :], "<f4")[:columns]
        assert np.isnan(everybody).any() == few, metric


@pytest.fixture(scope="module")
def pair(tmp_path_factory, users):
    """Two users alone on one file system."""
    folder = tmp_path_factory.mktemp("pair")
    spec = Spec(jobs=2, slices=60, length=40, processes=2, mounts=1, users=2)
    plant(folder / "repository", spec, seed=5)
    return hall(folder / "repository", folder / "audit")


def test_the_load_of_one_neighbour_is_nowhere(pair):
    """Of two users on a mount each would see the other's load as that of all others."""
    rows = pair.guest("adam").get("/api/v1/jobs").json()["jobs"]
    assert {row["uid"] for row in rows} == {60000, 60001}
    job = next(row["job"] for row in rows if row["uid"] == 60001)
    told = {}
    for name in ("bert", "sue"):  # the owner, and one who may see all
        client = pair.guest(name)
        others = client.get(f"/api/v1/jobs/{job}/series?of=others").json()
        load = [value for line in others["lines"] for value in line["mean"]]
        while (answer := client.get(f"/api/v1/jobs/{job}/verdict")).status_code == 202:
            time.sleep(0.2)
        beside = answer.json()["interference"] or {"resources": []}
        load += [x for one in beside["resources"] for x in one.get("others_load") or []]
        told[name] = any(load), others["few"]
    assert told == {"bert": (False, True), "sue": (True, False)}
