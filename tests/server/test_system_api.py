"""The system as the API returns it: the numbers of the repository, without others' secrets."""

from __future__ import annotations

import json
import struct
from dataclasses import replace

import numpy as np
import pytest
from server_fixtures import UIDS

from jostle.report.models.machines.nodes import node_differences, nodes_json
from jostle.repository import Repository
from jostle.server.access import Viewer
from jostle.server.background.others import Others
from jostle.server.background.tiles import Tiles
from jostle.server.cache.lru_cache import LruCache
from jostle.server.schemas.reports import NodesReport
from jostle.server.schemas.system import MachineLanes
from jostle.server.system.machines import _SERVED, _server, machine_lanes
from jostle.server.system.mounts import mount_load
from jostle.server.system.node_grid import GridAxis, RowLayout, natural, rectangles, system_grid
from jostle.server.system.queries import Life, lives, owners

FAR = 2**63 - 1
ALL = Viewer("adam", 0, "administrator")
S = 10**9


def unpacked(body: bytes) -> tuple[dict, np.ndarray]:
    length = struct.unpack("<I", body[:4])[0]
    header = json.loads(body[4 : 4 + length])
    values = np.frombuffer(body[4 + length :], "<f4")
    return header, values.reshape(len(header["rows"]), header["columns"])


@pytest.fixture(scope="module")
def repository(injected) -> Repository:
    return Repository(injected)


@pytest.fixture(scope="module")
def tiles(repository) -> Tiles:
    return Tiles(repository, LruCache(1 << 20))


@pytest.fixture(scope="module")
def everybody(repository) -> list[Life]:
    return lives(repository)


def grid(tiles, everybody, viewer=ALL, metric="cpu", shape=(512, 100), search=""):
    return unpacked(
        system_grid(tiles, Others(tiles), everybody, viewer, metric, (0, FAR), shape, search)
    )


@pytest.mark.parametrize(
    ("metric", "what", "table"),
    [
        ("cpu", "(os_user_ns_sum + os_system_ns_sum) / 1e9", "node_rollup"),
        ("posix_write_bytes", "posix_write_bytes", "mount_slices"),
    ],
)
def test_the_picture_holds_all_that_was_measured(repository, tiles, everybody, metric, what, table):
    header, values = grid(tiles, everybody, metric=metric)
    measured = repository.query(f"SELECT sum({what})::DOUBLE AS x FROM {table}")["x"][0].as_py()
    assert np.nansum(values) * header["step_ns"] / S == pytest.approx(measured, rel=1e-4)


def test_a_level_is_a_mean_and_no_sum_of_slices(tiles, everybody):
    _, coarse = grid(tiles, everybody, metric="os_rss_bytes", shape=(512, 5))
    _, fine = grid(tiles, everybody, metric="os_rss_bytes", shape=(512, 500))
    assert np.nanmax(coarse) <= np.nanmax(fine) * 1.001


def test_a_node_without_a_job_is_no_node_that_idles(tiles, everybody):
    header, values = grid(tiles, everybody)
    assert np.isnan(values).any()
    for job in header["jobs"]:
        middle = (job["start_ns"] + job["end_ns"]) // 2
        column = (middle - header["start_ns"]) // header["step_ns"]
        first, last = job["rows"][0]
        assert not np.isnan(values[first : last + 1, column]).any()


def test_neighbouring_nodes_are_one_rectangle_and_others_several():
    axis = GridAxis(0, S, 100)
    some = [Life("a", host, 1, 5 * S, 50 * S, S, running=False) for host in ("n1", "n2", "n4")]
    other = Life("b", "n3", 1, 5 * S, 50 * S, S, running=False)
    layout = RowLayout.of([*some, other], axis, 10)
    assert rectangles(some, layout, axis) == [
        {"job": "a", "start_ns": 5 * S, "end_ns": 50 * S, "rows": [[0, 1], [3, 3]]}
    ]


def test_jobs_that_share_a_node_have_lanes_of_their_own():
    axis = GridAxis(0, S, 100)
    times = {"a": (0, 50), "b": (10, 20), "c": (20, 30), "d": (15, 60), "late": (200, 300)}
    some = [
        Life(job, "n", 1, start * S, end * S, S, running=False)
        for job, (start, end) in times.items()
    ]
    some.append(Life("a", "m", 1, 0, 50 * S, S, running=False))
    layout = RowLayout.of(some, axis, 10)
    assert [(row["host"], row["lane"], row["lanes"]) for row in layout.named()] == [
        ("m", 0, 1),
        ("n", 0, 3),
        ("n", 1, 3),
        ("n", 2, 3),
    ]
    shown = {job["job"]: job["rows"] for job in rectangles(some, layout, axis)}
    assert shown == {"a": [[0, 1]], "b": [[2, 2]], "c": [[2, 2]], "d": [[3, 3]]}
    # Without room for lanes, a row is a node, or several.
    assert len(RowLayout.of(some, axis, 3).named()) == 2
    assert RowLayout.of(some, axis, 1).named()[0]["last"] == "n"


def test_a_crowd_on_a_node_shares_its_last_lanes():
    crowd = [Life(f"j{at}", "n", 1, at * S, 90 * S, S, running=False) for at in range(20)]
    layout = RowLayout.of(crowd, GridAxis(0, S, 100), 512)
    assert len(layout.named()) == 8
    assert len(rectangles(crowd, layout, GridAxis(0, S, 100))) == 20


def test_the_shortest_slices_of_what_is_shown_decide_the_columns():
    some = [
        Life("a", "n", 1, 0, 100 * S, 4 * S, running=False),
        Life("b", "n", 1, 0, 100 * S, S // 4, running=False),
        Life("c", "n", 1, 200 * S, 300 * S, S // 10, running=False),
    ]
    assert GridAxis.of((10 * S, 20 * S), some, 400).step_ns == S // 4
    assert GridAxis.of((210 * S, 220 * S), some, 400).step_ns == S // 10
    assert GridAxis.of((0, 100 * S), some, 25).step_ns == 4 * S


@pytest.mark.parametrize("metric", ["cpu", "posix_write_bytes", "bytes"])
def test_slices_longer_than_a_column_are_spread_over_all_that_they_cover(
    repository, tiles, everybody, metric
):
    fine = [replace(life, slice_ns=life.slice_ns // 4) for life in everybody]
    coarse, values = grid(tiles, everybody, metric=metric, shape=(512, 4000))
    header, parts = grid(tiles, fine, metric=metric, shape=(512, 4000))
    assert header["step_ns"] < coarse["step_ns"]
    whole = np.nansum(values) * coarse["step_ns"]
    # What a first or last slice has beyond its job's life is not shown.
    assert np.nansum(parts) * header["step_ns"] == pytest.approx(whole, rel=1e-2)
    assert np.nanmax(parts) <= np.nanmax(values) * 1.001


def test_columns_stay_where_they_are_when_the_span_moves():
    some = [Life("a", "n", 1, 0, 10**6 * S, 4 * S, running=False)]
    one = GridAxis.of((1000 * S, 2000 * S), some, 50)
    two = GridAxis.of((1030 * S, 2030 * S), some, 50)
    assert one.step_ns == two.step_ns
    assert one.step_ns % (4 * S) == 0
    assert (two.start_ns - one.start_ns) % one.step_ns == 0
    assert GridAxis.of((0, FAR), some, 100).step_ns % (60 * S) == 0


def test_nodes_are_sorted_as_people_count():
    assert sorted(["n10", "n2", "n1"], key=natural) == ["n1", "n2", "n10"]


def test_thousands_of_nodes_share_rows(tiles, everybody):
    whole, values = grid(tiles, everybody)
    few, means = grid(tiles, everybody, shape=(2, 100))
    assert few["together"] == -(-len(whole["rows"]) // 2)
    assert few["rows"][0]["last"] is not None
    assert len(few["rows"]) <= 2
    assert np.nanmax(means) <= np.nanmax(values) * 1.001


def test_nodes_are_found_by_a_part_of_their_name(tiles, everybody):
    header, _ = grid(tiles, everybody)
    host = header["rows"][0]["host"]
    found, _ = grid(tiles, everybody, search=host)
    assert [row["host"] for row in found["rows"]] == [host]
    nobody, _ = grid(tiles, everybody, search="no such node")
    assert nobody["rows"] == nobody["jobs"] == []


def test_the_load_on_mounts_is_that_of_the_rollup(repository, tiles, everybody):
    reported = mount_load(tiles, Others(tiles), everybody, ALL, "posix_write_bytes", (0, FAR), 100)
    measured = repository.query("SELECT sum(posix_write_bytes_sum)::DOUBLE AS x FROM rollup")
    whole = sum(mount["total"] for mount in reported["mounts"])
    assert whole == pytest.approx(measured["x"][0].as_py(), rel=1e-3)
    for mount in reported["mounts"]:
        assert len(mount["layers"]) <= 12
        totals = [layer["total"] for layer in mount["layers"]]
        assert totals == sorted(totals, reverse=True)


def test_a_user_sees_his_own_jobs_and_sums_of_enough_others(open_hall, everybody):
    anne = open_hall.guest("dora")
    header, values = unpacked(anne.get("/api/v1/system/grid").content)
    own = {one.job for one in everybody if one.uid == UIDS["dora"]}
    assert {job["job"] for job in header["jobs"]} == own
    assert header["rows"][0]["host"] == "all nodes"
    hosts = {one.host for one in everybody if one.job in own}
    assert {row["host"] for row in header["rows"][1:]} == hosts
    # Of the whole hour three others were at work: their sum may be disclosed.
    assert not np.isnan(values[0]).all()
    loads = anne.get("/api/v1/system/mounts").json()
    assert {layer["job"] for mount in loads["mounts"] for layer in mount["layers"]} <= own


def test_too_few_others_are_not_disclosed(tiles, everybody):
    manager = Viewer("m", UIDS["anne"], "manager", frozenset({UIDS["bert"]}))
    header, values = grid(tiles, everybody, viewer=manager)
    assert header["all"]
    assert np.isnan(values[0]).all()  # two others remain
    for mount in mount_load(tiles, Others(tiles), everybody, manager, "bytes", (0, FAR), 50)[
        "mounts"
    ]:
        assert mount["few"]
        assert set(mount["rest"]) == {None}


def test_a_span_shows_the_jobs_that_one_may_see(open_hall, everybody):
    whole = open_hall.guest("adam").get("/api/v1/system/span").json()
    part = open_hall.guest("dora").get("/api/v1/system/span").json()
    assert whole["nodes"] == len({one.host for one in everybody})
    assert max(part["busy"]) < max(whole["busy"])


@pytest.mark.parametrize("query", ["columns=1e9", "rows=0", "metric=" + "x" * 101, "from_ns=-1"])
def test_hostile_parameters_of_the_system(open_hall, query):
    assert open_hall.guest("adam").get(f"/api/v1/system/grid?{query}").status_code == 422


def test_a_metric_of_nodes_is_no_load_on_a_mount(open_hall):
    answer = open_hall.guest("adam").get("/api/v1/system/mounts?metric=cpu")
    assert answer.status_code == 400
    assert "bytes" in answer.json()["fix"]


def lanes(repository, tiles, viewer):
    return machine_lanes(repository, Others(tiles), lives(repository), viewer, (0, FAR), 400)


def test_servers_and_nodes_as_agents_saw_them(repository, tiles):
    content = lanes(repository, tiles, ALL)
    (server,) = content["servers"]
    assert (server["host"], server["mount"]) == ("server0", "lustre:mds0@tcp:/fs0")
    stored = repository.query(
        "SELECT sum(storage_read_bytes + storage_write_bytes)::BIGINT AS b FROM component_slices "
        "WHERE kind = 'lustre_ost' AND slice * slice_ns < $1",
        [content["start_ns"] + content["step_ns"] * content["columns"]],
    )["b"][0].as_py()
    moved = sum(server["bytes"]) * content["step_ns"] / 1e9
    assert moved == pytest.approx(stored, rel=0.01)
    assert 0 < max(value or 0 for value in server["busy"]) <= 1
    assert 1 < max(value or 0 for value in server["request_ms"]) < 100
    assert len(content["nodes"]) > 5
    assert 0 < max(value or 0 for value in content["nodes"][0]["cpu"]) <= 1


def test_a_lane_of_several_servers_has_the_mean_of_all_of_their_requests():
    axis = GridAxis(0, S, 2)

    def cells(ops: tuple[float, float], ms: float) -> dict[str, np.ndarray]:
        wait_ops = np.array(ops)
        sums = {name: np.zeros(2) for name in _SERVED}
        return sums | {"wait_ops": wait_ops, "wait_ns": wait_ops * ms * 1e6}

    served = {
        ("oss1", "lustre_ost"): cells((10, 0), 1),
        ("oss1", "disk"): cells((10, 0), 50),  # the same requests once more
        ("oss2", "lustre_ost"): cells((30, 20), 9),
    }
    lane = _server("oss1, oss2", "lustre:scratch", served, ("oss1", "oss2"), axis)
    assert lane["request_ms"] == [pytest.approx((10 * 1 + 30 * 9) / 40), 9]
    alone = served["oss1", "lustre_ost"]["wait_ops"].tolist()
    assert alone == [10, 0], "the cells are not changed: other lanes use them"


def test_a_user_sees_the_state_of_servers_together_where_others_are_a_crowd(repository, tiles):
    user = Viewer("anne", UIDS["anne"], "user")
    content = lanes(repository, tiles, user)
    assert content["nodes"] == []
    assert content["few"]
    shown = Others(tiles).disclosed(
        user,
        owners(lives(repository)),
        "rollup",
        ("posix_write_bytes",),
        (content["start_ns"], content["step_ns"], content["columns"]),
        without={life.job for life in lives(repository) if user.sees(life.uid)},
    )
    for server in content["servers"]:
        assert server["bytes"] is None
        hidden = np.isnan(shown[server["mount"]])
        assert hidden.any()
        for name in ("busy", "request_ms"):
            assert all(value is None for value in np.array(server[name], dtype=object)[hidden])


def test_answers_are_as_described(repository, tiles):
    MachineLanes.model_validate(lanes(repository, tiles, ALL))
    answer = nodes_json(node_differences(repository)) | {"commit": 1, "seconds": 0.0}
    assert NodesReport.model_validate(answer).differences == []
