"""Laws of the papers and Kuo's model in computed studies on a link."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from synth_study import AW, WS, Lab, Writer, equal_writers, lab, result_of

from jostle_lab.analysis.study.published_laws import laws


def test_the_law_of_equal_writers_with_its_interval():
    found = result_of(equal_writers(noise=0.01))
    law = next(law for law in laws(found) if law.name == "equal writers")
    assert law.holds
    assert law.low is not None and law.high is not None and law.value is not None
    assert law.low < law.value < law.high
    assert law.low < 0.5 < law.high or abs(law.value - 0.5) < 0.01
    assert law.high - law.low < 0.03
    assert law.n == 10  # two cells of equals, five runs


def test_table_3_and_the_model_of_kuo():
    made = lab(noise=0.005)
    sizes = {count: replace(AW, processes=count) for count in (1, 2, 4)}
    for repetition in range(1, 4):
        for one in sizes.values():
            made.alone(one, repetition)
        for p, q in [(1, 2), (1, 4), (4, 2), (1, 1)]:
            made.pair(sizes[p], sizes[q], repetition)
    found = result_of(made)
    assert found.kuo is not None
    rows = {row.setting.processes: row for row in found.kuo.rows}
    assert set(rows) == {(1, 2), (1, 4), (2, 4), (1, 1)}
    row = rows[1, 4]
    assert row.expected_ratio == 4
    assert row.overlap_ratio == pytest.approx(4, rel=0.02)
    assert row.overlap == pytest.approx((10e6, 40e6), rel=0.02)
    # Overall the smaller looks better, as it runs alone in the end: 200 MB in 8 s.
    assert row.overall == pytest.approx((25e6, 40e6), rel=0.03)
    assert row.holds and row.why_not == [] and row.equal_volume and row.saturated
    assert row.same_nodes and row.full_overlap and row.same_pattern
    assert [one.by for one in row.predictions] == ["process"]
    assert row.predictions[0].large_error == pytest.approx(0, abs=0.03)
    assert row.predictions[0].small_alone_error == pytest.approx(0, abs=0.03)
    assert row.spread == pytest.approx(0, abs=0.01)
    assert row.phases is not None
    assert row.phases.together == pytest.approx(10e6, rel=0.02)
    assert row.phases.alone == pytest.approx(50e6, rel=0.02)
    assert row.phases.standalone == pytest.approx(50e6, rel=0.02)
    assert rows[1, 1].phases is None
    assert found.kuo.error_process == pytest.approx(0, abs=0.02)
    assert found.kuo.error_node is None and found.kuo.better == ""
    reported = {law.name: law for law in laws(found)}
    assert reported["share by processes"].value == pytest.approx(0.8, abs=0.01)
    assert reported["share by processes"].holds
    assert reported["Kuo's model"].holds and reported["Kuo's model"].n == 6
    curve = next(
        one
        for one in found.curves
        if one.axis == "signal processes" and one.setting.processes[0] == 1
    )
    assert [point.x for point in curve.points] == [1, 2, 4]
    assert [point.degradation.median for point in curve.points] == pytest.approx(
        [1 / 2, 2 / 3, 4 / 5], abs=0.02
    )


def test_shares_by_node_are_found_and_predicted_by_node():
    made = lab(by="node", noise=0.002)
    small = replace(AW, processes=1, nodes=("node1",))
    large = replace(AW, processes=8, nodes=("node2", "node3"))
    for repetition in (1, 2, 3):
        made.alone(small, repetition)
        made.alone(large, repetition)
        made.pair(small, large, repetition)
    found = result_of(made)
    assert found.kuo is not None
    row = found.kuo.rows[0]
    assert row.overlap_ratio == pytest.approx(2, rel=0.02)
    assert not row.same_nodes
    process, node = row.predictions
    assert abs(node.large_error) < 0.03 < abs(process.large_error)
    assert found.kuo.better == "node"
    reported = {law.name: law for law in laws(found)}
    assert reported["Kuo's model"].value == pytest.approx(found.kuo.error_node)
    assert "share by processes" not in reported


def test_preconditions_of_the_model_that_do_not_hold_are_named():
    made = lab()
    small = replace(AW, processes=1, limit=5e6, volume=20e6)
    made.alone(small)
    made.alone(AW)
    made.pair(small, AW)
    found = result_of(made)
    assert found.kuo is not None
    row = found.kuo.rows[0]
    assert not row.holds and row.equal_volume is False and row.saturated is False
    assert len(row.why_not) == 2
    assert found.kuo.error_process is None
    assert all(law.name != "Kuo's model" for law in laws(found))


def timed(made: Lab, metric: str, by_job: dict[str, tuple[float, float]]) -> None:
    """Gives jobs calls and their time, evenly over their slices: (calls per slice, ns each)."""
    for (job, _), progress in list(made.seen.items()):
        calls, each = by_job.get(job.split(".")[-1].removesuffix("-2"), (0.0, 0.0))
        ones = np.ones_like(progress.values) / len(progress.values)
        made.seen[job, "service_ops"] = replace(progress, values=ones * calls)
        made.seen[job, metric] = replace(progress, values=ones * calls * each)


def test_service_times_explain_what_small_chunks_lose():
    made = lab()
    owc = Writer("owc", "open-write-close", chunk=2048, nodes=("node2",))
    aw = replace(AW, chunk=2048)
    made.alone(owc)
    made.alone(aw)
    timed(made, "service_ns", {"owc": (100, 2e6), "aw": (10, 1e6)})
    quiet = dict(made.seen)
    made.pair(owc, aw)
    timed(made, "service_ns", {"owc": (100, 3e6), "aw": (10, 9e6)})
    made.seen.update(quiet)
    law = next(law for law in laws(result_of(made)) if law.name == "small chunks")
    assert "a call of owc takes 2 ms alone and 3 ms together (1.5 times)" in law.explanation
    assert "a call of aw takes 1 ms alone and 9 ms together (9.0 times)" in law.explanation
    assert law.statement.startswith("At 2 KiB, owc loses 50.0 % alongside aw, which loses 50.0 %")


def test_runs_ended_by_time_are_not_predicted():
    made = equal_writers(repetitions=2)
    for record in made.records:
        if len(record["programs"]) == 2:
            for program in record["programs"]:  # each ran as long as alone, and did half
                whole = made.seen[program["job"], "bytes"]
                half = whole.values[:, : whole.values.shape[1] // 2]
                made.seen[program["job"], "bytes"] = replace(whole, values=half)
                program["end_ns"] -= (program["end_ns"] - program["begin_ns"]) // 2
        record["monitor"] = []
        for program in record["programs"]:
            program["volume"] = None
    found = result_of(made)
    assert found.kuo is not None
    for row in found.kuo.rows:
        assert row.predictions == [] and not row.holds
        assert row.why_not[0] == "they do not have a fixed volume each"
        assert row.overlap_ratio == pytest.approx(1, abs=0.01)
    assert found.cells[0].degradation.median == pytest.approx(0.5, abs=0.01)
    assert found.cells[0].dilation.n == 0


def test_runs_too_few_or_too_unlike_hold_nothing():
    once = {law.name: law for law in laws(result_of(equal_writers(repetitions=1)))}
    assert once["equal writers"].holds is None  # two cells, though alike to the last digit
    unlike = {law.name: law for law in laws(result_of(equal_writers(noise=0.1, repetitions=2)))}
    law = unlike["equal writers"]
    assert law.low is not None and law.high is not None
    assert law.high - law.low > 0.06 and law.holds is None


def test_unequal_writers_break_the_law():
    made = lab()
    for repetition in (1, 2, 3):
        made.alone(AW, repetition)
        record = made.pair(AW, replace(AW, weight=3.0, nodes=("node2",)), repetition)
        for place, program in enumerate(record["programs"]):  # and a third of the link is lost
            whole = made.seen[program["job"], "bytes"]
            thin = (0.6, 0.9)[place] * (1 + 0.001 * repetition)
            made.seen[program["job"], "bytes"] = replace(whole, values=whole.values * thin)
        record["monitor"] = []
    law = next((law for law in laws(result_of(made)) if law.name == "equal writers"), None)
    assert law is None or law.holds is not True


def test_the_laws_are_of_files_of_ones_own_where_there_are_both():
    made = equal_writers(noise=0.01)
    found = result_of(made)
    assert found.kuo is not None
    rows = found.kuo.rows
    shared = [
        replace(row, setting=replace(row.setting, shared=True), saturated=True) for row in rows
    ]
    both = replace(found, kuo=replace(found.kuo, rows=[*rows, *shared]))
    alone = {law.name: law for law in laws(found)}
    reported = {law.name: law for law in laws(both)}
    assert reported["equal writers"].value == alone["equal writers"].value
    assert "one shared file are left out" in reported["equal writers"].explanation
    assert "left out" not in alone["equal writers"].explanation


@pytest.mark.parametrize(("metric", "alike"), [("operations", False), ("message_bytes", True)])
def test_operations_of_unlike_patterns_are_not_set_against_each_other(metric: str, alike: bool):
    made = lab()
    for one in (AW, WS):
        made.alone(one)
    made.pair(AW, WS)
    made.pair(AW, AW)
    for record in made.records:
        for program in record["programs"]:
            program["progress"] = metric
            made.seen[program["job"], metric] = made.seen[program["job"], "bytes"]
    found = result_of(made)
    assert found.kuo is not None
    rows = {row.small == row.large: row for row in found.kuo.rows}
    assert rows[True].overlap_ratio == pytest.approx(1, abs=0.01) and rows[True].shares
    for reported in (rows[False].overlap_ratio, rows[False].overall_ratio, rows[False].spread):
        assert (reported is not None) is alike
    assert bool(rows[False].shares) is alike
    assert rows[False].overlap[0]


def test_nodes_that_follow_from_processes_are_no_axis():
    made = lab()
    owc = replace(WS, name="owc", nodes=("node1", "node2"))
    for processes in (1, 2, 4):
        aw = replace(AW, processes=processes, nodes=("node3", "node4")[: min(processes, 2)])
        for one in (aw, owc):
            made.alone(one)
        made.pair(owc, aw)
    for record in made.records:
        record["cell"]["nodes"] = [len(program["nodes"]) for program in record["programs"]]
    found = result_of(made)
    assert {cell.setting.more for cell in found.cells} == {()}
    owc_loses, aw_loses = (
        next(curve for curve in found.curves if curve.probe == name) for name in ("owc", "aw")
    )
    assert [len(curve.points) for curve in (owc_loses, aw_loses)] == [3, 3]
    apart = [dict(record) for record in made.records]
    for record in made.records:  # the same programs and settings on other nodes: that is an axis
        record["cell"] = record["cell"] | {"nodes": [2] * len(record["programs"])}
        apart.append(record | {"run": record["run"] + "x"})
    made.records = apart
    assert {cell.setting.more for cell in result_of(made).cells} != {()}
