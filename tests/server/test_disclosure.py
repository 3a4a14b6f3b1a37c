"""Others' load is disclosed for a crowd only, however one asks."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest
from server_fixtures import hall

from jostle.server.background.disclosure import LINES, may_be_disclosed
from jostle_lab.synthetic.injected.model import Spec
from jostle_lab.synthetic.repository import plant

MPI = next(line for line in LINES if "state_onesided_ns" in line)
WRITTEN = frozenset({"posix_write_bytes", "stdio_write_bytes"})


def disclosed(line, *each):
    """Whether a line may be disclosed of users who had one metric each, of amount 1 or as given."""
    loads = [had if isinstance(had, dict) else {had: 1} for had in each]
    names = sorted(set(line).union(*LINES, *loads))
    rows = np.array([[had.get(name, 0) for name in names] for had in loads], dtype=float)
    rows = rows.reshape(-1, len(names))
    return all(may_be_disclosed(frozenset(line), names, rows, np.zeros(len(rows), dtype=int)))


def test_lines_hold_one_another_or_share_nothing():
    """The assumption of the rule: a view with other overlaps of lines needs another rule."""
    for one in LINES:
        for other in LINES:
            assert one <= other or other <= one or one.isdisjoint(other), (one, other)


def test_few_others_are_hidden_and_none_or_many_are_disclosed():
    posix = {"posix_meta_ops"}
    assert disclosed(posix)
    assert not disclosed(posix, "posix_meta_ops")
    assert not disclosed(posix, "posix_meta_ops", "posix_meta_ops")
    assert disclosed(posix, *["posix_meta_ops"] * 3)
    assert disclosed(posix, "posix_seek_ops")  # who was there without a load hides nothing


def test_whom_the_second_largest_could_work_out_is_hidden():
    """Less one's own load, the sum must be off by a tenth of the largest."""
    some = [{"posix_meta_ops": load} for load in (1000, 500, 60, 39)]
    assert not disclosed({"posix_meta_ops"}, *some)
    assert disclosed({"posix_meta_ops"}, *some, {"posix_meta_ops": 1})


def test_cells_are_assessed_each_by_itself():
    cell = np.array([0, 0, 0, 2, 2, 2])
    loads = np.array([[1.0], [1], [1], [1], [1], [0]])
    line = frozenset({"posix_meta_ops"})
    assert may_be_disclosed(line, sorted(line), loads, cell).tolist() == [True, True, False]


def test_parts_of_a_sum_are_disclosed_all_or_none():
    """written less its part by POSIX is what the one did who uses stdio."""
    four = [*["posix_write_bytes"] * 3, "stdio_write_bytes"]
    assert disclosed(WRITTEN, *four)
    assert not disclosed({"posix_write_bytes"}, *four)
    assert disclosed({"posix_write_bytes"}, *four, *["stdio_write_bytes"] * 2)


def worked_out(answers, active):
    """Finds of whom something can be derived: users, of whom alone some sum of answers is.

    Args:
        answers: Metrics of each answer.
        active: Metrics of each user.

    Some combination of the answers is of one or two users alone when it has no part in any metric
    that others are active in, and one in theirs: a matter of ranks.
    """
    names = sorted(set().union(*active.values()))
    rows = np.array([[name in line for name in names] for line in answers], dtype=float)
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
    """Every line and metric of random crowds is requested, and all answers are put together."""
    chance = random.Random(seed)
    names = sorted(set().union(*LINES) if seed % 2 else MPI | WRITTEN)
    active = {
        uid: set(chance.sample(names, chance.randint(1, 4))) for uid in range(chance.randint(1, 9))
    }
    ask = [*LINES, *(frozenset({name}) for name in names)]
    some = [
        line for line in ask if disclosed(line, *(dict.fromkeys(had, 1) for had in active.values()))
    ]
    assert worked_out(some, active) == []
    if len(active) >= 3 and seed % 2 == 0:
        everybody = [dict.fromkeys(names, 1)] * len(active)
        assert all(disclosed(line, *everybody) for line in ask if line <= set(names))


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
    disclosed = {}
    for name in ("bert", "sue"):  # the owner, and one who may see all
        client = pair.guest(name)
        others = client.get(f"/api/v1/jobs/{job}/series?of=others").json()
        load = [value for line in others["lines"] for value in line["mean"]]
        while (answer := client.get(f"/api/v1/jobs/{job}/verdict")).status_code == 202:
            time.sleep(0.2)
        alongside = answer.json()["interference"] or {"resources": []}
        load += [x for one in alongside["resources"] for x in one.get("others_load") or []]
        disclosed[name] = any(load), others["few"]
    assert disclosed == {"bert": (False, True), "sue": (True, False)}
