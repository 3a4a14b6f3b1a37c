"""An attack on sums: combined answers to a user disclose nothing of few other users.

The truth is asked of the slices of processes, which no part of the server's answers is made of.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from server_fixtures import UIDS, Hall, hall
from test_disclosure import worked_out
from users import U1, U2, U3, U4, U5, Put

import jostle.server.access.roles as roles
from jostle.report.models.metrics import VIEWS
from jostle.repository import Repository
from jostle.schema.metrics import METRICS
from jostle.server.access import Viewer
from jostle.server.background.others import Others
from jostle.server.background.tiles import CELL_NS, Tiles
from jostle.server.cache.lru_cache import LruCache
from jostle.server.system.mounts import mount_load
from jostle.server.system.queries import lives
from jostle.server.verdicts.verdict_queue import VerdictQueue
from jostle_lab.synthetic.injected.model import Spec
from jostle_lab.synthetic.repository import plant
from synth import EPOCH, Profile

MINE = "bert"
ADMIN = Viewer("root", 0, "administrator")
METRICS_OF_MOUNTS = [m.id for m in METRICS if m.scope == "mount" and m.kind != "histogram"]
SHOWN = [view for view in VIEWS if set(view.lines[0].metrics) <= set(METRICS_OF_MOUNTS)]
#: By mount and cell: user -> metric -> load.
Truth = dict[tuple[str, int], dict[int, dict[str, float]]]


@pytest.fixture(scope="module", autouse=True)
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The users are known here, and nothing is assessed that nobody asks for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(roles, "_uid", UIDS.get)
        patch.setattr(VerdictQueue, "follow", lambda *_: None)
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> tuple[Hall, Repository]:
    """Nine users, who come and go, on three file systems."""
    folder = tmp_path_factory.mktemp("town")
    spec = Spec(jobs=120, slices=1000, length=260, processes=2, mounts=3, users=9, slice_s=4.0)
    plant(folder / "repository", spec, seed=11)
    built = hall(folder / "repository", folder / "audit")
    return built, Repository(folder / "repository")


@pytest.fixture(scope="module")
def truth(town: tuple[Hall, Repository]) -> Truth:
    sums = ", ".join(f"sum({name})::DOUBLE AS {name}" for name in METRICS_OF_MOUNTS)
    found: Truth = {}
    for row in (
        town[1]
        .query(
            f"SELECT mount, slice * slice_ns // {CELL_NS} AS cell, uid, {sums} FROM mount_slices "
            "JOIN (SELECT DISTINCT job, uid FROM processes) USING (job) GROUP BY ALL"
        )
        .to_pylist()
    ):
        had = {name: row[name] for name in METRICS_OF_MOUNTS if row[name]}
        if had and row["uid"] != UIDS[MINE]:
            found.setdefault((row["mount"], int(row["cell"])), {})[row["uid"]] = had
    return found


def is_of_few(loads: list[float]) -> bool:
    """Whether some loads are those of few, or the largest is known to all but a tenth."""
    some = sorted((load for load in loads if load > 0), reverse=True)
    return 0 < len(some) < 3 or (len(some) > 2 and sum(some[2:]) < 0.1 * some[0] * (1 - 1e-9))


def lines_of(name: str) -> list[tuple[str, ...]]:
    return [line.metrics for view in SHOWN if view.name == name for line in view.lines] or [(name,)]


def finest(built: Hall, name: str) -> dict[tuple[str, int], float]:
    """What the page of mounts shows of others in each cell, in amounts."""
    shown = built.guest(MINE).get(f"/api/v1/system/mounts?metric={name}&columns=4000").json()
    assert shown["step_ns"] == CELL_NS
    start = shown["start_ns"] // CELL_NS
    found = {}
    for mount in shown["mounts"]:
        beyond = {layer["job"] for layer in mount["layers"]}
        assert len(beyond) < 12 or mount["jobs"] == len(beyond)  # the rest is of others alone
        for at, value in enumerate(mount["rest"] or []):
            if value is not None:
                scale = shown["step_ns"] / 1e9
                found[mount["mount"], start + at] = value * scale
    return found


@pytest.mark.in_turn("town")
def test_no_cell_is_of_few_whatever_is_asked(town: tuple[Hall, Repository], truth: Truth) -> None:
    """All views and metrics, alone and put together, cell by cell."""
    names = sorted({name for crowd in truth.values() for had in crowd.values() for name in had})
    cells: dict[tuple[str, int], list[frozenset[str]]] = {}
    some_shown = some_hidden = 0
    for name in [*(view.name for view in SHOWN), *names]:
        shown = finest(town[0], name)
        lines = lines_of(name)
        for cell, value in shown.items():
            crowd = truth.get(cell, {})
            for line in lines:
                loads = [sum(had.get(one, 0.0) for one in line) for had in crowd.values()]
                assert not is_of_few(loads), (name, cell)
            if value:
                cells.setdefault(cell, []).extend(frozenset(line) for line in lines)
        some_shown += sum(value > 0 for value in shown.values())
        some_hidden += sum(cell not in shown for cell in truth)
    assert some_shown and some_hidden
    seen = set()
    for cell, answers in cells.items():
        active = {uid: set(had) for uid, had in truth.get(cell, {}).items()}
        sort = frozenset(answers), frozenset(map(frozenset, active.values()))
        if sort not in seen and len(seen) < 60:
            seen.add(sort)
            assert worked_out(answers, active) == [], cell
    assert seen


@pytest.mark.in_turn("town")
@pytest.mark.parametrize("metric", ["posix_read_bytes", "posix_write_bytes"])
def test_other_spans_and_steps_disclose_no_more(town: tuple[Hall, Repository], metric: str) -> None:
    """Each answer can be worked out from the finest one: so no difference of two discloses more."""
    built, _ = town
    cells = finest(built, metric)
    begin, end = min(cell for _, cell in cells), max(cell for _, cell in cells) + 1
    chance = random.Random(5)
    checked = 0
    for _ in range(12):
        first, last = sorted(chance.sample(range(begin, end), 2))
        ask = f"metric={metric}&from_ns={first * CELL_NS}&to_ns={last * CELL_NS}"
        shown = (
            built.guest(MINE)
            .get(f"/api/v1/system/mounts?{ask}&columns={chance.choice([16, 40, 300])}")
            .json()
        )
        width, start = shown["step_ns"] // CELL_NS, shown["start_ns"] // CELL_NS
        for mount in shown["mounts"]:
            for at, value in enumerate(mount["rest"] or []):
                those = range(start + at * width, start + (at + 1) * width)
                if not begin <= those.start < those.stop <= end:
                    continue
                known = [cells[mount["mount"], c] for c in those if (mount["mount"], c) in cells]
                if 2 * len(known) < width:
                    assert value is None
                    continue
                mean = sum(known) / len(known) / (CELL_NS / 1e9)
                assert value == pytest.approx(mean, rel=2e-3, abs=1e-9 * max(known, default=1))
                checked += width > 1
    assert checked > 5


@pytest.mark.in_turn("town")
def test_the_curve_of_others_is_made_of_the_same_cells(
    town: tuple[Hall, Repository], truth: Truth
) -> None:
    built, repository = town
    jobs = repository.query(
        "SELECT job FROM processes JOIN rollup USING (job) "
        f"WHERE uid = {UIDS[MINE]} GROUP BY job ORDER BY job"
    )["job"].to_pylist()
    shown = hidden = 0
    for job, metric in itertools.product(jobs[:4], ("bytes", "posix_write_bytes", "ops")):
        for points in (16, 100_000):
            answer = (
                built.guest(MINE)
                .get(
                    f"/api/v1/jobs/{job}/series?of=others&metric={metric}"
                    f"&points={min(points, 4000)}"
                )
                .json()
            )
            (mount,) = repository.query("SELECT DISTINCT mount FROM rollup WHERE job = $1", [job])[
                "mount"
            ].to_pylist()
            if answer["step_ns"] != CELL_NS:
                continue
            for line, metrics in zip(answer["lines"], lines_of(metric), strict=True):
                for at, value in enumerate(line["mean"]):
                    cell = answer["start_ns"] // CELL_NS + at
                    crowd = truth.get((mount, cell), {}).values()
                    loads = [sum(had.get(one, 0.0) for one in metrics) for had in crowd]
                    assert value is None or not is_of_few(loads), (job, metric, at)
                    shown, hidden = shown + (value is not None), hidden + (value is None)
    assert shown and hidden


def test_the_row_of_all_nodes_adds_no_hidden_mount(
    town: tuple[Hall, Repository], truth: Truth
) -> None:
    """It shows the sum of what is disclosed of some mounts, and one's own."""
    built, repository = town
    grid = (
        built.guest(MINE).get("/api/v1/system/grid?metric=posix_write_bytes&columns=4000").content
    )
    length = struct.unpack("<I", grid[:4])[0]
    head = json.loads(grid[4 : 4 + length])
    row = np.frombuffer(grid[4 + length :], "<f4")[: head["columns"]]
    nodes = repository.query("SELECT count(DISTINCT host) AS n FROM processes")["n"][0].as_py()
    own: dict[tuple[str, int], float] = {
        (one["mount"], int(one["cell"])): one["load"]
        for one in repository.query(
            f"SELECT mount, slice * slice_ns // {CELL_NS} AS cell, "
            "sum(posix_write_bytes)::DOUBLE AS load FROM mount_slices "
            "JOIN (SELECT DISTINCT job, uid FROM processes) USING (job) "
            f"WHERE uid = {UIDS[MINE]} GROUP BY ALL"
        ).to_pylist()
    }
    mounts = sorted({mount for mount, _ in truth})
    shown = 0
    for at, value in enumerate(row):
        cell = head["start_ns"] // CELL_NS + at
        if np.isnan(value):
            continue
        whole = float(value) * nodes * (CELL_NS / 1e9)
        sums = []
        for here in ((mount, cell) for mount in mounts):
            loads = [had.get("posix_write_bytes", 0.0) for had in truth.get(here, {}).values()]
            sums.append(0.0 if is_of_few(loads) else sum(loads) + own.get(here, 0.0))
        some = (sum(part) for n in range(4) for part in itertools.combinations(sums, n))
        assert any(whole == pytest.approx(one, rel=1e-3, abs=1e-2) for one in some), at
        shown += whole > 1
    assert shown


def test_what_only_others_use_has_no_name_and_their_time_no_place(
    town: tuple[Hall, Repository],
) -> None:
    built, repository = town
    for name, uid in UIDS.items():
        own = repository.query(
            "SELECT min(start_ns) AS first, max(end_ns) AS last, list(DISTINCT mount) AS mounts "
            f"FROM processes JOIN (SELECT job, mount FROM rollup) USING (job) WHERE uid = {uid}"
        ).to_pylist()[0]
        guest = built.guest(name)
        if name == "anne":
            continue  # a manager, who sees bert's as well
        shown = guest.get("/api/v1/system/mounts?columns=4000").json()
        assert {mount["mount"] for mount in shown["mounts"]} <= set(own["mounts"])
        grid = guest.get("/api/v1/system/grid?columns=4000").content
        head = json.loads(grid[4 : 4 + struct.unpack("<I", grid[:4])[0]])
        for one in (shown, head):
            assert one["start_ns"] > own["first"] - one["step_ns"]
            assert one["start_ns"] + one["columns"] * one["step_ns"] < own["last"] + one["step_ns"]


def test_a_mount_that_only_others_use_is_not_named(
    store: Repository, spool: Path, put: Put
) -> None:
    """Nor is a shared one called by another's path, though that be shorter."""
    for pid, owner, mounts in ((1, U1, "a"), (2, U2, "ab"), (3, U3, "b"), (4, U4, "b")):
        made = Profile(job=f"job{pid}", pid=pid, proc_start=pid)
        for slot, name in enumerate(mounts):
            path = "/all" if owner == U1 else f"/u{pid}"
            made.add_mount(slot, path, "nfs4", f"server:/{name}", (0, 50 + ord(name)))
        for at in range(3):
            load = {"posix_write_bytes": dict.fromkeys(range(len(mounts)), 1000)}
            made.add_slice(made.first_slice + at, load)
        made.end_ns = made.start_ns + 3 * made.slice_ns
        put(made, owner)
    store.ingest([spool])
    tiles = Tiles(store, LruCache())
    for viewer, paths in ((Viewer("u1", U1, "user"), ["/all"]), (ADMIN, ["/u2", "/u2"])):
        shown = mount_load(tiles, Others(tiles), lives(store), viewer, "bytes", (0, 2**63 - 1), 50)
        assert sorted(mount["path"] for mount in shown["mounts"]) == paths


# ---- time ----


def writer(pid: int, amounts: dict[int, int]) -> Profile:
    """A process that writes so many bytes in some slices after EPOCH."""
    made = Profile(job=f"job{pid}", pid=pid, proc_start=pid)
    made.add_mount(0)
    for at, amount in sorted(amounts.items()):
        made.add_slice(made.first_slice + at, {"posix_write_bytes": {0: amount}})
    made.end_ns = made.start_ns + 40 * made.slice_ns
    return made


def test_who_comes_late_is_not_the_difference_of_two_answers(
    store: Repository, spool: Path, put: Put
) -> None:
    viewer, users = Viewer("u1", U1, "user"), {}
    others = Others(Tiles(store, LruCache()))
    # As long as there is an hour with enough other users, cells of it are disclosed.
    axis = EPOCH // CELL_NS * CELL_NS, CELL_NS, 40

    def shown() -> list[float | None]:
        users.update((row["job"], row["uid"]) for row in store.jobs().to_pylist())
        found = others.disclosed(viewer, users.get, "rollup", ["posix_write_bytes"], axis)
        (load,) = found.values()
        return [None if value != value else float(value) for value in load[:4]]

    for pid, owner in enumerate((U2, U3, U4), 1):
        put(writer(pid, {0: 1000, 1: 500}), owner)
    store.ingest([spool])
    assert shown() == [3000, 1500, 0, 0]
    put(writer(4, {0: 77, 2: 50}), U5)
    store.ingest([spool])
    assert shown() == [3000, 1500, None, 0]  # not 3077
    assert Others(Tiles(store, LruCache())).disclosed(
        ADMIN, users.get, "rollup", ["posix_write_bytes"], axis
    ).popitem()[1][:3].tolist() == [3077, 1500, 50]
    for pid, owner in enumerate((U2, U3), 5):
        put(writer(pid, {0: 100, 2: 50}), owner)
    store.ingest([spool])
    assert shown() == [3277, 1500, 150, 0]  # three came since: their sum is that of a crowd


def test_a_late_neighbour_is_in_the_next_answer(
    store: Repository, spool: Path, put: Put, tmp_path: Path
) -> None:
    """What is kept, here and in the browser, is of all that the curve is made of."""
    client = hall(store.path, tmp_path / "audit").guest("adam")
    ask = "/api/v1/jobs/job1/series?of=others&metric=posix_write_bytes"
    (put(writer(1, {0: 100}), 0), put(writer(2, {0: 1000}), U2))
    store.ingest([spool])
    shown = client.get(ask)
    put(writer(3, {0: 50}), U3)
    store.ingest([spool])
    time.sleep(0.3)  # so long nobody looks again whether there was a commit
    again = client.get(ask, headers={"If-None-Match": shown.headers["ETag"]})
    for answer, amount in ((shown, 1000), (again, 1050)):
        (line,) = answer.json()["lines"]
        assert line["mean"][0] * 4 == pytest.approx(amount, rel=1e-3)


def test_a_slice_is_disclosed_when_all_have_had_time_to_come(
    store: Repository, spool: Path, put: Put
) -> None:
    viewer, users = Viewer("u1", U1, "user"), {}
    now = [EPOCH + 10 * CELL_NS + 60 * 10**9]
    others = Others(Tiles(store, LruCache()), lambda: now[0])
    axis = EPOCH // CELL_NS * CELL_NS, CELL_NS, 40

    def shown() -> list[float]:
        users.update((row["job"], row["uid"]) for row in store.jobs().to_pylist())
        found = others.disclosed(viewer, users.get, "rollup", ["posix_write_bytes"], axis)
        return next(iter(found.values()))[[0, 9, 12]].tolist()

    for pid, owner in enumerate((U2, U3, U4), 1):
        put(writer(pid, {0: 100, 9: 100, 12: 100}), owner)
    store.ingest([spool])
    assert shown()[:2] == [300, 300]
    assert np.isnan(shown()[2])
    put(writer(4, {0: 100, 9: 100, 12: 100}), U5)
    store.ingest([spool])
    now[0] += 10 * CELL_NS
    assert shown() == [300, 300, 400]


# ---- words and numbers of verdicts ----


def test_a_verdict_discloses_no_load_of_another(store: Repository, tmp_path: Path) -> None:
    """u2 moves three times as much: nothing that stands slice by slice is another number."""
    found = []
    for factor in (1, 3):
        spool = tmp_path / f"spool{factor}"
        spool.mkdir()
        repository = Repository(tmp_path / f"held{factor}", create=True)
        chance = random.Random(3)
        mine, theirs = (
            Profile(job=name, pid=pid, proc_start=pid) for name, pid in (("mine", 1), ("theirs", 2))
        )
        for made in (mine, theirs):
            made.add_mount(0, type="nfs4", source="server:/export", device=(0, 50))
        for at in range(100):
            busy = at % 10 < 4
            own = {
                "posix_write_bytes": {0: 1 << 24},
                "posix_write_ns": {0: int((2.5e9 if busy else 1e9) * chance.uniform(0.9, 1.1))},
                "posix_write_ops": {0: 16},
            }
            known = {k: v for k, v in own.items() if k in METRICS_OF_MOUNTS}
            mine.add_slice(mine.first_slice + at, known)
            load = {"posix_write_bytes": {0: factor * (1 << 26) * busy}}
            theirs.add_slice(theirs.first_slice + at, load)
        for made, owner in ((mine, UIDS["bert"]), (theirs, UIDS["carl"])):
            made.end_ns = made.start_ns + 100 * made.slice_ns
            path = made.write(spool)
            os.chown(path, owner, owner)
        repository.ingest([spool])
        built = hall(repository.path, tmp_path / f"audit{factor}")
        client = built.guest("bert")
        (job,) = [row["job"] for row in client.get("/api/v1/jobs").json()["jobs"]]
        answer = client.get(f"/api/v1/jobs/{job}/verdict?wait_s=10")
        while answer.status_code == 202:
            answer = client.get(f"/api/v1/jobs/{job}/verdict?wait_s=10")
        found.append(answer.json())
    one, other = (dict(curves(shown)) for shown in found)
    assert one.keys() == other.keys()
    assert one
    for path, values in one.items():
        assert values == pytest.approx(other[path], rel=1e-9), path
    assert "theirs" not in json.dumps(found)


def curves(shown: Any, path: str = "") -> Iterator[tuple[str, list[float]]]:
    """Whatever stands slice by slice in an answer."""
    if isinstance(shown, dict):
        for name, value in shown.items():
            yield from curves(value, f"{path}.{name}")
    elif isinstance(shown, list) and len(shown) > 20:
        if isinstance(shown[0], dict):
            for name in shown[0]:
                if isinstance(shown[0][name], int | float):
                    yield f"{path}.{name}", [one[name] for one in shown]
        elif isinstance(shown[0], int | float):
            yield path, shown
    elif isinstance(shown, list):
        for at, value in enumerate(shown):
            yield from curves(value, f"{path}[{at}]")
