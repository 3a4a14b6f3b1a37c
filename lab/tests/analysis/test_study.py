"""Computed studies on a link: the results give the known truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from synth_study import AW, SLICE_NS, WS, Writer, cell_of, equal_writers, lab, result_of

from jostle_lab.analysis.study.cells import equal_at
from jostle_lab.analysis.study.evaluate import evaluate
from jostle_lab.analysis.study.pairs import JobProgress
from jostle_lab.analysis.study.published_laws import laws
from jostle_lab.analysis.study.runs import RecordError
from jostle_lab.analysis.study.setting import Setting


def test_two_equal_writers_lose_half_and_take_twice_as_long():
    found = result_of(equal_writers())
    assert [(cell.probe, cell.signal) for cell in found.cells] == [
        ("aw", "aw"),
        ("aw", "ws"),
        ("ws", "aw"),
        ("ws", "ws"),
    ]
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


def test_best_run_and_spread_are_both_reported():
    made = lab()
    for repetition, weight in enumerate([1.0, 1.5, 3.0], 1):
        made.alone(AW, repetition)
        made.alone(WS, repetition)
        made.pair(AW, replace(WS, weight=weight), repetition)
    cell = cell_of(result_of(made), "aw", "ws")
    lost = [weight / (1 + weight) for weight in (1.0, 1.5, 3.0)]
    assert (cell.degradation.min, cell.degradation.median, cell.degradation.max) == (
        pytest.approx(tuple(lost), abs=5e-3)
    )
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


def test_links_of_our_own_nodes_show_foreign_traffic_too():
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
    made.seen[job, "bytes"] = JobProgress(job, SLICE_NS, late.first_slice + 1000, late.values)
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
    made.seen[job, "bytes"] = JobProgress(
        job, SLICE_NS, made.seen[job, "bytes"].first_slice, values
    )
    one = cell_of(result_of(made), "aw", "aw").repetitions[0]
    assert one.verdict == "kept"
    assert one.overlap_slices == 23  # 8 to 31, less the one in which they end
    assert one.spread == pytest.approx(0, abs=1e-9)


def test_one_repetition_has_figures_but_no_interval():
    found = result_of(equal_writers(repetitions=1))
    cell = found.cells[0]
    assert cell.degradation.median == pytest.approx(0.5, abs=1e-3)
    assert cell.degradation.low is None and cell.degradation.high is None
    assert [note.kind for note in found.notes] == ["foreign", "repetitions"]


def test_kuos_outliers_leave_the_baseline():
    made = equal_writers(repetitions=5)
    for record in made.records:
        if record["kind"] == "alone" and record["repetition"] == 3:
            job = record["programs"][0]["job"]
            whole = made.seen[job, "bytes"]
            slow = np.repeat(whole.values, 2, axis=1) / 2
            made.seen[job, "bytes"] = JobProgress(job, SLICE_NS, whole.first_slice, slow)
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
        owc = Writer(
            "owc",
            "open-write-close",
            chunk=1 << power,
            weight=2.0 ** ((power - 24) / 2),
            volume=400e6,
        )
        aw = replace(AW, chunk=1 << power, volume=400e6, nodes=("node2",))
        for repetition in (1, 2, 3):
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
    assert even.text == "owc and aw break even at 16 MiB; with smaller chunks, owc loses more"
    law = next(law for law in laws(found) if law.name == "small chunks")
    assert law.holds
    assert law.value == pytest.approx(0.6, abs=0.02)


def test_curves_that_noise_lets_cross_only_may_break_even():
    """Three runs that differ by half: the intervals overlap at every size."""
    made = lab()
    for power, noise in ((20, (0.6, 1.0, 1.6)), (26, (1.6, 0.9, 0.6))):
        for repetition, factor in enumerate(noise, 1):
            weight = factor * 2.0 ** ((23 - power) / 12)
            owc = Writer("owc", "open-write-close", chunk=1 << power, weight=weight, volume=400e6)
            aw = replace(AW, chunk=1 << power, volume=400e6, nodes=("node2",))
            made.alone(owc, repetition)
            made.alone(aw, repetition)
            made.pair(owc, aw, repetition)
    even = result_of(made).break_even[0]
    assert even.chunk is not None
    assert not even.certain
    assert " may break even at " in even.text


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
            made.seen[program["job"], "bytes"] = JobProgress(
                program["job"], SLICE_NS, whole.first_slice, values
            )
    found = result_of(made)
    assert [(one.first, one.second, one.kind, len(one.runs)) for one in found.serialised] == [
        ("aw", "ws", "one first", 3),
        ("aw", "aw", "by turns", 3),
    ]


def test_work_that_is_not_fixed_has_no_dilation():
    made = equal_writers(repetitions=1)
    record = next(one for one in made.records if len(one["programs"]) == 2)
    program = record["programs"][0]
    whole = made.seen[program["job"], "bytes"]
    half = JobProgress(whole.job, SLICE_NS, whole.first_slice, whole.values[:, :16])
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


def test_notes_report_clocks_missing_runs_and_short_ones():
    made = lab()
    short = replace(AW, volume=40e6)
    made.alone(short)
    made.pair(short, replace(short, nodes=("node2",)))
    job = made.records[0]["programs"][0]["job"]
    found = result_of(made, planned=9, unsynchronised=[job])
    kinds = {note.kind: note for note in found.notes}
    assert set(kinds) == {"clock", "foreign", "missing", "repetitions"}
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
        (("api", "posix"),),
        (("api", "mpiio"),),
    ]
    assert found.settings[0].label == "1 MiB, 4 against 4 processes, api posix"


def test_a_pair_is_held_against_standalone_runs_of_its_own_axes():
    disk = Setting(1 << 20, (4, 0), more=(("store", "disk"),))
    assert disk.is_alone_of(Setting(1 << 20, (4, 2), more=(("store", "disk"),)))
    assert disk.is_alone_of(Setting(1 << 20, (4, 2), more=(("store", "disk against ram"),)))
    assert not disk.is_alone_of(Setting(1 << 20, (4, 2), more=(("store", "ram against disk"),)))
    assert not disk.is_alone_of(Setting(1 << 20, (2, 4), more=(("store", "disk"),)))
    assert Setting(None, (1, 0)).is_alone_of(
        Setting(None, (1, 1), more=(("signal chunk", "4 KiB"),))
    )
