"""Periodic signals in computed studies on a link: their imprint in the probe, and its picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from synth_study import AW, SLICE_NS, WS, Lab, Writer, lab, result_of

from jostle_lab.analysis.study.published_laws import laws


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
        ("aw", "signal", True)
    ]
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
        program["job"]: [
            (program["begin_ns"] + k * 6 * 10**9, program["begin_ns"] + k * 6 * 10**9 + 3 * 10**9)
            for k in range(10)
        ]
        for record in made.records
        for program in record["programs"]
    }
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


def test_a_split_communicator_shows_how_likely_a_burst_hits():
    """CLUSTER'13: the noise half is heard in some of its bursts only."""
    made = lab(noise=0.0)
    split = Writer("split", "ping", volume=1200e6, period_s=2.0)
    for repetition, duty in ((1, 0.5), (2, 0.0)):
        record = made.alone(replace(split, period_s=0.0), repetition)
        program = record["programs"][0]
        program |= {"split": True, "period_s": 2.0, "duty": duty, "baseline": f"split {duty}"}
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
    reported = {law.name: law for law in laws(found)}
    assert reported["burst hits"].value == pytest.approx(5 / 12)
    assert "imprint" not in reported
