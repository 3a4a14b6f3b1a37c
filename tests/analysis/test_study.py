"""Studies on a link made of arithmetic: what was put in must come out."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from synth_study import SLICE_NS, Lab, Link, Writer

from jostle.analysis import evaluate, laws
from jostle.analysis.pairs import Progress
from jostle.analysis.study_cells import equal_at
from jostle.analysis.study_model import Cell, StudyResult
from jostle.analysis.study_runs import RecordError

AW = Writer("aw", nodes=("node1",))
WS = Writer("ws", "write-seek", nodes=("node2",))


def lab(**link: object) -> Lab:
    return Lab(Link(**link))  # type: ignore[arg-type]


def result_of(made: Lab, **more: object) -> StudyResult:
    found = evaluate(made.records, made.source, **more)  # type: ignore[arg-type]
    json.dumps(found.to_json(), allow_nan=False)
    for law in laws(found):
        json.dumps(law.to_json(), allow_nan=False)
    return found


def cell_of(found: StudyResult, probe: str, signal: str, **setting: object) -> Cell:
    cells = [
        cell
        for cell in found.cells
        if (cell.probe, cell.signal) == (probe, signal)
        and all(getattr(cell.setting, name) == value for name, value in setting.items())
    ]
    assert len(cells) == 1
    return cells[0]


def equal_writers(noise: float = 0.0, repetitions: int = 5) -> Lab:
    made = lab(noise=noise)
    for repetition in range(1, repetitions + 1):
        made.alone(AW, repetition)
        made.alone(WS, repetition)
        made.pair(AW, replace(AW, nodes=("node2",)), repetition)
        made.pair(AW, WS, repetition)
        made.pair(WS, replace(WS, nodes=("node1",)), repetition)
    return made


def test_two_equal_writers_lose_half_and_take_twice_as_long():
    found = result_of(equal_writers())
    assert [(cell.probe, cell.signal) for cell in found.cells] == [
        ("aw", "aw"), ("aw", "ws"), ("ws", "aw"), ("ws", "ws")]  # fmt: skip
    for cell in found.cells:
        assert cell.degradation.median == pytest.approx(0.5, abs=1e-3)
        assert cell.degradation_best == pytest.approx(0.5, abs=1e-3)
        assert cell.dilation.median == pytest.approx(1, abs=0.02)
        assert cell.degradation.n == 5
        side = cell.repetitions[0].probe
        assert side is not None
        assert side.dilation_implied == pytest.approx(1, abs=0.01)
        assert side.isolated == pytest.approx(50e6, rel=1e-3)
        assert side.overlap == pytest.approx(25e6, rel=1e-3)
    assert [one.rate.median for one in found.standalone] == pytest.approx([50e6] * 2, rel=1e-3)
    assert [one.protocol for one in found.standalone] == pytest.approx([1.04] * 2)
    assert found.serialised == []
    assert found.notes == []
    assert not found.imprints


def test_the_law_of_equal_writers_with_its_interval():
    found = result_of(equal_writers(noise=0.01))
    law = next(law for law in laws(found) if law.name == "equal writers")
    assert law.holds
    assert law.low is not None and law.high is not None and law.value is not None
    assert law.low < law.value < law.high
    assert law.low < 0.5 < law.high or abs(law.value - 0.5) < 0.01
    assert law.high - law.low < 0.03
    assert law.n == 20  # two cells of equals, five runs, both programs


def test_best_run_and_spread_are_both_told():
    made = lab()
    for repetition, weight in enumerate([1.0, 1.5, 3.0], 1):
        made.alone(AW, repetition)
        made.alone(WS, repetition)
        made.pair(AW, replace(WS, weight=weight), repetition)
    cell = cell_of(result_of(made), "aw", "ws")
    lost = [weight / (1 + weight) for weight in (1.0, 1.5, 3.0)]
    assert (cell.degradation.min, cell.degradation.median, cell.degradation.max) == (
        pytest.approx(tuple(lost), abs=5e-3)
    )  # fmt: skip
    assert cell.degradation.low is not None and cell.degradation.high is not None
    assert cell.degradation.low < cell.degradation.mean < cell.degradation.high  # type: ignore[operator]
    assert cell.best in {one.run for one in cell.repetitions}


def test_only_the_part_until_one_is_nearly_done_counts():
    """The larger ends first; what the smaller does alone afterwards is no interference."""
    made = lab()
    small, large = replace(AW, processes=1), replace(AW, processes=4)
    made.alone(small)
    made.alone(large)
    made.pair(small, large)
    found = result_of(made)
    cell = cell_of(found, "aw", "aw", processes=(1, 4))
    assert cell.degradation.median == pytest.approx(0.8, abs=5e-3)
    assert cell.signal_degradation.median == pytest.approx(0.2, abs=5e-3)
    turned = cell_of(found, "aw", "aw", processes=(4, 1))
    assert turned.degradation.median == pytest.approx(0.2, abs=5e-3)
    # Dilation is of whole runs: the smaller waits for the larger once, not four times.
    assert cell.dilation.median == pytest.approx(1, abs=0.02)
    assert turned.dilation.median == pytest.approx(0.25, abs=0.02)
    side = cell.repetitions[0].probe
    assert side is not None and side.dilation_implied == pytest.approx(4, abs=0.1)


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
    told = {law.name: law for law in laws(found)}
    assert told["share by processes"].value == pytest.approx(0.8, abs=0.01)
    assert told["share by processes"].holds
    assert told["Kuo's model"].holds and told["Kuo's model"].n == 6
    curve = next(one for one in found.curves
                 if one.axis == "signal processes" and one.setting.processes[0] == 1)  # fmt: skip
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
    told = {law.name: law for law in laws(found)}
    assert told["Kuo's model"].value == pytest.approx(found.kuo.error_node)
    assert "share by processes" not in told


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


def test_foreign_traffic_is_discarded_and_named():
    made = equal_writers(repetitions=3)
    made.alone(AW, 4, foreign=0.2 * 200e6)
    bad = made.pair(AW, WS, 4, foreign=0.12 * 1.04 * 400e6)
    made.pair(AW, WS, 5, foreign=0.09 * 1.04 * 400e6)
    found = result_of(made)
    cell = cell_of(found, "aw", "ws")
    assert [one.verdict for one in cell.repetitions] == ["kept"] * 3 + ["discarded", "kept"]
    assert cell.degradation.n == 4
    out = cell.repetitions[3]
    assert out.foreign == pytest.approx(0.12)
    assert "12%" in out.reason
    assert cell.repetitions[4].foreign == pytest.approx(0.09)
    assert [one.discarded for one in found.standalone] == [1, 0]
    foreign = [note for note in found.notes if note.kind == "foreign"]
    assert len(foreign) == 1 and bad["run"] in foreign[0].runs and len(foreign[0].runs) == 2


def test_links_of_our_own_nodes_tell_foreign_traffic_too():
    made = equal_writers(repetitions=1)
    record = made.records[-1]
    grown = record["monitor"][1]["storage.in"] - 10_000
    for sample, sent in zip(record["monitor"], (0, grown * 0.4), strict=True):
        sample |= {"node1.out": sent, "node2.out": sent}
    record["own"] = ["node1.out", "node2.out"]
    found = result_of(made)
    assert cell_of(found, "ws", "ws").repetitions[0].foreign == pytest.approx(0.25)
    assert cell_of(found, "ws", "ws").repetitions[0].verdict == "discarded"


def test_without_counters_nothing_is_discarded():
    made = equal_writers(repetitions=1)
    for record in made.records:
        record["monitor"] = []
    found = result_of(made)
    assert {one.verdict for cell in found.cells for one in cell.repetitions} == {"kept"}
    assert {one.foreign for cell in found.cells for one in cell.repetitions} == {None}
    assert {one.protocol for one in found.standalone} == {None}


def test_a_program_that_fails_is_a_result():
    made = equal_writers(repetitions=2)
    made.records[-1]["programs"][0] |= {"status": 1, "error": "No space left on device"}
    made.alone(AW, 3)
    made.records[-1]["programs"][0] |= {"status": 137, "error": "killed"}
    found = result_of(made)
    cell = cell_of(found, "ws", "ws")
    assert [one.verdict for one in cell.repetitions] == ["kept", "failed"]
    assert cell.repetitions[1].reason == "ws: No space left on device"
    assert cell.degradation.n == 1 and cell.degradation.low is None
    assert found.standalone[0].failed == 1
    assert {note.kind for note in found.notes} == {"failed", "repetitions"}


def test_programs_that_never_meet_are_of_no_use():
    made = lab()
    made.alone(AW)
    made.alone(WS)
    record = made.pair(AW, WS)
    job = record["programs"][1]["job"]
    late = made.seen[job, "bytes"]
    made.seen[job, "bytes"] = Progress(job, SLICE_NS, late.first_slice + 1000, late.values)
    record["programs"][1]["begin_ns"] += 1000 * SLICE_NS
    record["programs"][1]["end_ns"] += 1000 * SLICE_NS
    found = result_of(made)
    one = cell_of(found, "aw", "ws").repetitions[0]
    assert (one.verdict, one.overlap_slices, one.slices) == ("unusable", 0, 0)
    assert cell_of(found, "aw", "ws").degradation.median is None


def test_no_bytes_at_all():
    made = lab()
    made.alone(AW)
    made.pair(AW, WS)
    made.seen.clear()
    found = result_of(made)
    assert found.standalone[0].rate.n == 0
    assert found.cells[0].repetitions[0].verdict == "unusable"
    assert found.traces == []
    assert {note.kind for note in found.notes} >= {"unusable", "baseline", "repetitions"}


def test_a_process_that_stalls_ends_the_active_overlap_only():
    made = equal_writers(repetitions=1)
    record = next(one for one in made.records if len(one["programs"]) == 2)
    job = record["programs"][0]["job"]
    values = made.seen[job, "bytes"].values.copy()
    values[0, 6:8] = 0
    made.seen[job, "bytes"] = Progress(job, SLICE_NS, made.seen[job, "bytes"].first_slice, values)
    one = cell_of(result_of(made), "aw", "aw").repetitions[0]
    assert one.verdict == "kept"
    assert one.overlap_slices == 23  # 8 to 31, less the one in which they end
    assert one.spread == pytest.approx(0, abs=1e-9)


def test_one_repetition_has_figures_but_no_interval():
    found = result_of(equal_writers(repetitions=1))
    cell = found.cells[0]
    assert cell.degradation.median == pytest.approx(0.5, abs=1e-3)
    assert cell.degradation.low is None and cell.degradation.high is None
    assert [note.kind for note in found.notes] == ["repetitions"]


def test_kuos_outliers_leave_the_baseline():
    made = equal_writers(repetitions=5)
    for record in made.records:
        if record["kind"] == "alone" and record["repetition"] == 3:
            job = record["programs"][0]["job"]
            whole = made.seen[job, "bytes"]
            slow = np.repeat(whole.values, 2, axis=1) / 2
            made.seen[job, "bytes"] = Progress(job, SLICE_NS, whole.first_slice, slow)
            record["programs"][0]["end_ns"] = (
                2 * record["programs"][0]["end_ns"] - (record["programs"][0]["begin_ns"])
            )
    found = result_of(made)
    one = found.standalone[0]
    assert one.outlier == [False, False, True, False, False]
    assert one.rates[2] == pytest.approx(25e6, rel=0.01)
    assert one.rate.n == 4 and one.rate.min == pytest.approx(50e6, rel=1e-3)


def test_chunk_sizes_give_curves_and_a_break_even_point():
    """The smaller its chunks, the less open-write-close gets: even at 16 MiB."""
    made = lab()
    for power in (20, 22, 24, 26):
        owc = Writer("owc", "open-write-close", chunk=1 << power,
                     weight=2.0 ** ((power - 24) / 2), volume=400e6)  # fmt: skip
        aw = replace(AW, chunk=1 << power, volume=400e6, nodes=("node2",))
        for repetition in (1, 2):
            made.alone(owc, repetition)
            made.alone(aw, repetition)
            made.pair(owc, aw, repetition)
    found = result_of(made)
    curve = next(one for one in found.curves if one.probe == "owc")
    assert [point.x for point in curve.points] == [1 << power for power in (20, 22, 24, 26)]
    assert [point.degradation.median for point in curve.points] == pytest.approx(
        [0.8, 2 / 3, 0.5, 1 / 3], abs=0.01
    )
    assert len(found.break_even) == 1
    even = found.break_even[0]
    assert even.chunk == pytest.approx(1 << 24, rel=0.1)
    assert (even.one, even.other) == ("owc", "aw")
    assert even.text == "owc and aw break even at 16 MiB; below, owc suffers more"
    law = next(law for law in laws(found) if law.name == "small chunks")
    assert law.holds
    assert law.value == pytest.approx(0.6, abs=0.02)


@pytest.mark.parametrize(
    ("points", "at"),
    [
        ([(1, 0.6), (16, -0.6)], 4),
        ([(1, 0.6), (4, 0.0), (16, 0.3)], 4),
        ([(1, 0.6), (4, 0.3), (256, 0.01)], 256),  # GPFS of fig. 3.6: even at the last point
        ([(1, 0.6), (4, 0.3)], None),
        ([(1, -0.02), (4, -0.3)], 1),
        ([], None),
    ],
)
def test_break_even_by_interpolation(points: list[tuple[float, float]], at: float | None):
    found = equal_at(points)
    assert found == (None if at is None else pytest.approx(at))


def test_serialised_pairs_are_named():
    made = lab()
    for repetition in (1, 2, 3):
        made.alone(AW, repetition)
        made.alone(WS, repetition)
        made.pair(AW, replace(WS, weight=1e-3), repetition)
        record = made.pair(AW, replace(AW, nodes=("node2",)), repetition)
        for place, program in enumerate(record["programs"]):
            whole = made.seen[program["job"], "bytes"]
            turns = np.repeat(np.arange(whole.values.shape[1] // 4 + 1) % 2 == place, 4)
            values = whole.values * 2 * turns[: whole.values.shape[1]]
            made.seen[program["job"], "bytes"] = Progress(
                program["job"], SLICE_NS, whole.first_slice, values
            )
    found = result_of(made)
    assert [(one.first, one.second, one.kind, len(one.runs)) for one in found.serialised] == [
        ("aw", "ws", "one first", 3),
        ("aw", "aw", "by turns", 3),
    ]


def periodic(noise: float = 0.01) -> Lab:
    made = lab(noise=noise)
    probe = replace(AW, volume=2400e6)
    signal = replace(WS, until_stopped=True, period_s=6.0, name="signal")
    for repetition in (1, 2):
        made.alone(probe, repetition)
        made.alone(replace(signal, volume=300e6), repetition)
        made.pair(probe, signal, repetition)
    return made


def test_a_periodic_signal_leaves_its_imprint():
    found = result_of(periodic())
    assert [(cell.probe, cell.signal, cell.setting.periodic) for cell in found.cells] == [
        ("aw", "signal", True)]  # fmt: skip
    assert len(found.imprints) == 2
    one = found.imprints[0]
    # 2400 MB at 37.5 MB/s on average: 64 s, eleven whole bursts.
    assert one.source == "rule"
    assert (one.seen, one.total) == (11, 11)
    assert one.depth.median == pytest.approx(0.5, abs=0.01)
    assert one.false_rate == 0
    assert one.probability == 1 and one.low is not None and one.low > 0.6
    law = next(law for law in laws(found) if law.name == "imprint")
    assert law.holds and law.n == 22
    cell = found.cells[0]
    assert cell.degradation.median == pytest.approx(0.25, abs=0.03)
    assert cell.dilation.median == pytest.approx(1 / 3, abs=0.05)
    assert cell.repetitions[0].signal is not None
    assert cell.repetitions[0].signal.dilation is None  # it lasts until its probe ends


def test_bursts_come_from_the_log_where_there_is_one():
    made = periodic()
    bursts = {
        program["job"]: [(program["begin_ns"] + k * 6 * 10**9, program["begin_ns"] + k * 6 * 10**9
                          + 3 * 10**9) for k in range(10)]
        for record in made.records for program in record["programs"]
    }  # fmt: skip
    found = result_of(made, bursts=lambda job: bursts[job])
    assert found.imprints[0].source == "log"
    assert found.imprints[0].seen == found.imprints[0].total == 10


def test_traces_show_both_and_the_probe_alone():
    found = result_of(periodic())
    trace = next(one for one in found.traces if one.signal)
    assert (trace.probe, trace.signal, trace.metric) == ("aw", "signal", "bytes")
    assert len(trace.probe_rate) == len(trace.signal_rate)
    assert trace.start_ns % SLICE_NS == 0
    for begin, end in trace.bursts[1:-1]:
        inside = slice(round(begin * 4), round(end * 4))
        assert np.mean(trace.probe_rate[inside]) == pytest.approx(25e6, rel=0.05)
        assert np.mean(trace.signal_rate[inside]) == pytest.approx(25e6, rel=0.05)
    assert np.median(trace.alone_rate) == pytest.approx(50e6, rel=0.05)
    assert trace.evaluated is not None and trace.overlap is not None
    alone = [one for one in found.traces if not one.signal]
    assert [one.probe for one in alone] == ["aw", "signal"]


def test_work_that_is_not_fixed_has_no_dilation():
    made = equal_writers(repetitions=1)
    record = next(one for one in made.records if len(one["programs"]) == 2)
    program = record["programs"][0]
    whole = made.seen[program["job"], "bytes"]
    half = Progress(whole.job, SLICE_NS, whole.first_slice, whole.values[:, :16])
    made.seen[program["job"], "bytes"] = half
    program["volume"] = None
    one = cell_of(result_of(made), "aw", "aw").repetitions[0]
    assert one.probe is not None and one.signal is not None
    assert one.probe.dilation is None and one.signal.dilation is not None
    assert one.probe.degradation == pytest.approx(0.5, abs=0.01)


def test_a_command_owns_neither_its_first_nor_its_last_slice():
    made = equal_writers(repetitions=1)
    for record in made.records:
        for program in record["programs"]:
            program["pattern"] = None
            program["begin_ns"] -= 300_000_000  # it had to start first
            whole = made.seen[program["job"], "bytes"]
            values = whole.values.copy()
            values[:, 0] /= 4
            made.seen[program["job"], "bytes"] = replace(whole, values=values)
    found = result_of(made)
    assert found.standalone[0].rate.median == pytest.approx(50e6, rel=1e-3)
    assert found.cells[0].degradation.median == pytest.approx(0.5, abs=1e-3)


def test_notes_tell_of_clocks_missing_runs_and_short_ones():
    made = lab()
    short = replace(AW, volume=40e6)
    made.alone(short)
    made.pair(short, replace(short, nodes=("node2",)))
    job = made.records[0]["programs"][0]["job"]
    found = result_of(made, planned=9, unsynchronised=[job])
    kinds = {note.kind: note for note in found.notes}
    assert set(kinds) == {"clock", "missing", "repetitions"}
    assert kinds["clock"].runs == ["r01-p000"]
    assert "2 of 9" in kinds["missing"].text
    made.pair(replace(short, volume=30e6), replace(short, volume=30e6))
    assert "overlap" in {note.kind for note in result_of(made).notes}


def test_an_interrupted_run_does_not_count_and_of_doubles_the_last_does():
    made = equal_writers(repetitions=2)
    made.records[-1]["interrupted"] = True
    made.records.append(dict(made.records[0]))
    found = result_of(made)
    assert found.runs == len(made.records) - 1
    assert cell_of(found, "ws", "ws").repetitions[1].verdict == "discarded"


def test_a_damaged_record_says_which_and_why():
    made = equal_writers(repetitions=1)
    del made.records[2]["programs"][0]["job"]
    with pytest.raises(RecordError, match=r"Record 3 .* 'job'") as error:
        evaluate(made.records, made.source)
    assert "runs.jsonl" in error.value.hint
    with pytest.raises(RecordError, match="one or two programs"):
        evaluate([{"run": "r1", "slice_ns": 1, "programs": []}], made.source)


def test_a_study_without_runs():
    found = evaluate([], lambda job, metric: None)
    assert found.cells == [] and found.kuo is None and laws(found) == []


def test_axes_that_vary_are_part_of_the_setting():
    made = lab()
    for api in ("posix", "mpiio"):
        record = made.alone(AW)
        record["cell"]["api"] = api
        record["programs"][0]["baseline"] += api
        record = made.pair(AW, WS)
        record["cell"] |= {"api": api, "nodes": [1, 1]}
        record["programs"][0]["baseline"] += api
    made.alone(WS)
    found = result_of(made)
    assert [setting.more for setting in found.settings] == [
        (("api", "posix"),), (("api", "mpiio"),)]  # fmt: skip
    assert found.settings[0].label == "1 MiB, 4 against 4 processes, api posix"


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
    assert law.statement.startswith("At 2 KiB, owc loses 50.0 % beside aw, which loses 50.0 %")


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


def test_a_split_communicator_tells_how_likely_a_burst_hits():
    """CLUSTER'13: the noise half is heard in some of its bursts only."""
    made = lab(noise=0.0)
    split = Writer("split", "ping", volume=1200e6, period_s=2.0)
    for repetition, duty in ((1, 0.5), (2, 0.0)):
        record = made.alone(replace(split, period_s=0.0), repetition)
        program = record["programs"][0]
        program |= {"split": True, "period_s": 2.0, "duty": duty,
                    "baseline": f"split {duty}"}  # fmt: skip
        whole = made.seen[program["job"], "bytes"]
        values = whole.values * (1 + 0.01 * np.sin(np.arange(whole.values.shape[1]) ** 2))
        for burst in range(5 if duty else 0):
            values[:, 16 * burst : 16 * burst + 4] *= 0.8  # every other burst hits
        made.seen[program["job"], "bytes"] = replace(whole, values=values)
    begin = made.records[0]["programs"][0]["begin_ns"]
    bursts = [(begin + k * 2 * 10**9, begin + k * 2 * 10**9 + 10**9) for k in range(12)]
    found = result_of(made, bursts=lambda job: bursts)
    assert len(found.imprints) == 1
    one = found.imprints[0]
    assert (one.probe, one.signal, one.total, one.seen) == ("split", "split", 12, 5)
    assert one.false_rate is not None and one.false_rate < 0.2
    told = {law.name: law for law in laws(found)}
    assert told["burst hits"].value == pytest.approx(5 / 12)
    assert "imprint" not in told
