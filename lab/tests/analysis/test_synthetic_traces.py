"""Synthetic runs: their truth is correct, and they follow the runtime's rules."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from jostle.repository.segments.align import COALESCED, EPOCH, EVERY, FINAL, RAW
from jostle_lab.synthetic import SPECS, trace
from jostle_lab.synthetic.traces import Call, Disturbance, ProgramLoop, ReplayProgram, TraceSpec
from jostle_lab.synthetic.traces.accounts import _beyond_usual, _readings, off_cpu
from jostle_lab.synthetic.traces.cuts import cut
from jostle_lab.synthetic.traces.disturb import Effect
from jostle_lab.synthetic.traces.program import Script, write_script
from jostle_lab.synthetic.traces.rows import short
from jostle_lab.synthetic.traces.timeline import replay

SUM = Call("MPI_Allreduce", "global", 0.01, 0.001, 8)
HALO = Call("MPI_Sendrecv", "neighbours", 0.01, 0.002, 100)
WRITE = Call("write", "file", 0.0, 0.005, 1000)


def script_of(calls, gaps):
    """A script of hand-made gaps [K, R], without jitter."""
    gaps = np.array(gaps, dtype=float)
    distinct = tuple(dict.fromkeys(calls))
    number = np.array([distinct.index(call) for call in calls])
    return Script(
        distinct,
        number,
        np.arange(len(calls)),
        np.array([c.bytes for c in calls]),
        None,
        np.array([c.cost_s for c in calls]),
        gaps,
        gaps,
        np.zeros(gaps.shape),
    )


def nothing(script):
    return Effect.none(len(script.call))


def run(*phases, ranks=2, **figures):
    program = ReplayProgram(phases, ranks=ranks, jitter=0.001, **figures)
    script = write_script(program, np.random.default_rng(3))
    return script, replay(script, nothing(script))


def test_ranks_wait_for_whom_they_must():
    script = script_of(
        [HALO, WRITE, SUM], [[0.01, 0.03, 0.01, 0.01], [0.0] * 4, [0.01, 0.02, 0.01, 0.01]]
    )
    found = replay(script, nothing(script))
    # Rank 1 is late: its neighbours wait for it, rank 3 does not.
    assert found.end_s[0].tolist() == pytest.approx([0.032, 0.032, 0.032, 0.012])
    assert found.end_s[1].tolist() == pytest.approx([0.037, 0.037, 0.037, 0.017])
    assert found.begin_s[2].tolist() == pytest.approx([0.047, 0.057, 0.047, 0.027])
    assert found.end_s[2].tolist() == pytest.approx([0.058] * 4)


def test_planes_go_from_rank_to_rank():
    """Each rank needs 10 ms for a plane, and begins when the one before has sent its part."""
    forth = Call("MPI_Recv", "forth", 0.0, 0.001), Call("MPI_Send", "send", 0.01, 0.002, 100)
    back = Call("MPI_Recv", "back", 0.0, 0.001), Call("MPI_Send", "send", 0.01, 0.002, 104)
    script = script_of([*forth, *forth, *back, SUM], [[0.0] * 3, [0.01] * 3] * 3 + [[0.0] * 3])
    found = replay(script, nothing(script))
    # The receive and the plane of the rank before, and its send; then the own receive.
    assert found.end_s[0].tolist() == pytest.approx([0.001, 0.014, 0.027])
    assert found.end_s[1].tolist() == pytest.approx([0.013, 0.026, 0.039])
    assert found.end_s[2].tolist() == pytest.approx([0.014, 0.027, 0.040])
    # Back: the last rank, which ended last, is the first.
    assert found.end_s[4].tolist() == pytest.approx([0.079, 0.066, 0.053])
    assert found.end_s[6].tolist() == pytest.approx([0.092] * 3)
    effect = nothing(script)
    effect.call_s = np.zeros((7, 3))
    effect.call_s[0, 0] = 0.005  # of the first rank: all others wait for it
    assert replay(script, effect).end_s[1].tolist() == pytest.approx([0.018, 0.031, 0.044])


def test_what_is_computed_without_a_call_is_seen_as_such():
    """Neither counted nor waited in; what is stolen of it shows at the call that follows."""
    alone = Call("", "none", 0.02, 0.0, 0)
    script = script_of([alone, alone, SUM, SUM], [[0.02, 0.02]] * 2 + [[0.0, 0.0], [0.01, 0.01]])
    effect = nothing(script)
    effect.stolen_s = np.array([[0.004, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    found = replay(script, effect)
    assert found.end_s[2].tolist() == pytest.approx([0.045, 0.045])
    assert script.in_mpi.tolist() == [False, False, True, True]
    spec = TraceSpec(
        "alone",
        ReplayProgram((ProgramLoop(1, (alone,)), ProgramLoop(1, (SUM,))), ranks=2),
        (),
        0,
        0,
    )
    tables, _ = trace(spec, 0)
    (world,) = tables.worlds
    assert world.segments["all_to_all"].to_numpy().sum() == 2 * 91
    assert tables.slices["mpi_all_to_all_ops_sum"].to_numpy().sum() == 2 * 91
    assert world.segments["duration_ns"].to_numpy()[0] > 1e9


def test_a_delay_of_a_rank_with_time_to_spare_costs_nothing():
    script = script_of([SUM, SUM], [[0.01, 0.05], [0.01, 0.01]])
    effect = nothing(script)
    effect.call_s = np.array([[0.03, 0.0], [0.0, 0.0]])
    assert replay(script, effect).seconds == pytest.approx(replay(script, nothing(script)).seconds)
    effect.call_s = np.array([[0.05, 0.0], [0.0, 0.0]])
    assert replay(script, effect).seconds == pytest.approx(0.051 + 0.01 + 0.011)


def usual_one_by_one(took):
    """runtime/src/mpi/mpi_account.c, beyond_usual: its integers, in units of 1/256 ns."""
    usual, beyond = int(took[0]) << 8, [0]
    for n, ticks in enumerate(took[1:].tolist(), start=2):
        x = int(ticks) << 8
        shrink = n.bit_length() - 1
        step = (usual >> (shrink - 2 if shrink > 2 else 0)) + 4
        if x >= usual:
            beyond.append((x - usual) >> 8 if n > 16 else 0)
            usual += step // 4
        else:
            beyond.append(0)
            step -= step // 4
            usual = usual - step if usual - x > step else x
    return np.array(beyond)


@pytest.mark.parametrize("number", [10, 500, 20_000])
def test_usual_durations_are_those_of_the_runtime(number):
    random = np.random.default_rng(number)
    took = np.rint(
        20_000 + random.exponential(4000, number) + 300_000 * (random.random(number) < 0.1)
    )
    found = _beyond_usual(took[:, None] * 1e-9)[:, 0] * 1e9
    expected = usual_one_by_one(took)
    assert found.sum() == pytest.approx(expected.sum(), rel=0.01)
    assert np.abs(found - expected)[number // 2 :].mean() < 200  # ns, of 20 000


def test_the_cpu_clock_is_read_once_a_millisecond():
    times = np.array([0.0, 0.2, 0.9, 1.0, 1.4, 1.9, 2.0, 5.0, 5.5, 5.9, 6.0]) * 1e-3
    assert _readings(times).tolist() == [0, 3, 6, 7, 10]
    dense = np.arange(0, 10e-3, 0.3e-3)
    assert np.diff(dense[_readings(dense)]).min() >= 1e-3


def test_off_cpu_is_a_lower_bound():
    """4 ms of 20 stolen: a call between two readings is taken off; below a 64th is not seen."""
    short_call = Call("MPI_Allreduce", "global", 0.01, 0.0005, 8)
    script = script_of([short_call] * 4, [[0.01], [0.016], [0.016], [0.0161]])
    effect = nothing(script)
    effect.stolen_s = np.array([[0.0], [0.004], [0.0], [0.0001]])
    found = off_cpu(script, replay(script, effect), effect, 0)
    assert found.amount_s.tolist() == pytest.approx([0.0035])
    assert (found.end_s - found.begin_s).tolist() == pytest.approx([0.0205])


def test_rare_globals_end_a_segment_each():
    script, timeline = run(ProgramLoop(20, (SUM, Call("MPI_Barrier", "global", 0.09, 1e-5, 0))))
    found = cut(script, timeline.end_s[:, 0], raw=False)
    assert set(found.rule.tolist()) == {EVERY, FINAL}
    assert found.event.tolist() == list(range(len(script.call)))


def test_dense_globals_are_coalesced_to_equal_content():
    quick = Call("MPI_Allreduce", "global", 0.001, 1e-5, 8)
    rare = Call("MPI_Barrier", "global", 0.001, 1e-5, 0)
    script, timeline = run(
        ProgramLoop(30, (quick, quick, Call("MPI_Sendrecv", "neighbours", 0.001), rare))
    )
    found = cut(script, timeline.end_s[:, 0], raw=False)
    lengths = np.diff(timeline.end_s[found.event, 0])
    late = found.rule == COALESCED
    assert late.mean() > 0.8
    assert np.median(lengths[-20:]) == pytest.approx(0.1, rel=0.6)
    assert {script.calls[i].function for i in script.call[found.event[late]]} == {"MPI_Barrier"}
    assert len(set(np.diff(found.event[-20:-1]).tolist())) == 1
    raw = cut(script, timeline.end_s[:, 0], raw=True)
    assert (raw.rule[:-1] == RAW).all()


def test_without_globals_exchanges_end_epochs():
    script, timeline = run(ProgramLoop(20, (HALO,)), ProgramLoop(0.01, (SUM,)))
    found = cut(script, timeline.end_s[:, 0], raw=False)
    epochs = found.rule == EPOCH
    assert epochs.mean() > 0.9
    assert (np.diff(timeline.end_s[found.event[epochs], 0]) >= 0.05).mean() > 0.9
    assert (found.occurrence[epochs] > 0).all()


def test_times_are_rounded_as_profiles_round():
    """Down, to 11 bits after the first."""
    assert short(np.array([0, 1, 4095, 4096, 4097, 8191])).tolist() == [
        0,
        1,
        4095,
        4096,
        4096,
        8190,
    ]


SMALL = TraceSpec(
    "small",
    ReplayProgram(
        (
            ProgramLoop(0.5, (Call("MPI_Barrier", "global", 0.1, 1e-5, 0),)),
            ProgramLoop(
                8,
                (
                    HALO,
                    Call("MPI_Allreduce", "global", 0.01, 2e-5, 8),
                    Call("write", "file", 0.0, 0.02, 10**6, every=20),
                ),
            ),
            ProgramLoop(0.01, (SUM,)),
        ),
        ranks=4,
        per_node=2,
    ),
    (
        Disturbance("network", "call", 20e-3, weight=2.0),
        Disturbance("cpu", "steal", 5e-3, where="one", spans=2, share=0.3),
        Disturbance("file system", "file", spans=1, share=0.5),
        Disturbance("memory", "slow", sustained=True, weight=0.5),
    ),
    15,
    25,
)


def test_the_truth_is_the_difference_of_two_replays():
    tables, truth = trace(SMALL, 5)
    assert 10 < truth.percent < 30
    assert sum(truth.by_cause.values()) == pytest.approx(truth.lost_s)
    assert set(truth.by_cause) == {"network", "cpu", "file system", "memory"}
    assert truth.continuous_s == pytest.approx(truth.by_cause["memory"])
    assert truth.instantaneous_percent < truth.percent
    end = truth.init_ns + round(truth.run_s * 1e9)
    assert truth.between(truth.init_ns, end) == pytest.approx(truth.lost_s, abs=1e-3)
    edges = np.linspace(truth.init_ns, end, 9).astype(np.int64).tolist()
    parts = [truth.between(low, high) for low, high in itertools.pairwise(edges)]
    assert sum(parts) == pytest.approx(truth.lost_s, abs=1e-3)
    (world,) = tables.worlds
    whole = (world.segments["duration_ns"].to_numpy()).sum() / 1e9
    assert whole == pytest.approx(truth.run_s, rel=1e-4)


def test_tables_agree_with_each_other():
    tables, truth = trace(SMALL, 5)
    (world,) = tables.worlds
    segments, slices = world.segments, tables.slices
    for name, metric in (
        ("wait_ns", "wait_mpi_ns_sum"),
        ("offcpu_ns", "wait_offcpu_ns_sum"),
        ("io_ns", "state_io_ns_sum"),
    ):
        total = segments[name].to_numpy().sum()
        assert slices[metric].to_numpy().sum() == pytest.approx(total, rel=2e-3)
    binned = sum(map(sum, segments["wait_bins"].to_pylist()))
    assert binned == pytest.approx(segments["wait_ns"].to_numpy().sum(), rel=0.05)
    assert set(slices["host"].to_pylist()) == {"node001", "node002"}
    written = tables.mount_slices["posix_write_bytes_sum"].to_numpy().sum()
    assert written == segments["write_bytes"].to_numpy().sum()
    seconds = tables.slices["os_runqueue_ns_sum"].to_numpy().sum() / 1e9
    assert seconds == pytest.approx(truth.by_cause["cpu"], rel=0.5)


def test_a_seed_gives_the_same_run():
    one, other = (trace(SMALL, 9) for _ in range(2))
    assert one[0].worlds[0].segments.equals(other[0].worlds[0].segments)
    assert one[1].percent == other[1].percent
    assert trace(SMALL, 10)[1].percent != one[1].percent


def test_one_seed_in_eight_is_clean():
    found = [trace(SMALL, seed)[1] for seed in range(16)]
    clean = [truth for truth in found if truth.lost_s == 0]
    assert 0 < len(clean) < 8 and all(not sum(t.by_cause.values()) for t in clean)


def test_families_are_named_and_wide_enough():
    assert all(spec.about for spec in SPECS.values())
    ranks = [spec.program.ranks for spec in SPECS.values()]
    assert min(ranks) <= 4 and max(ranks) == 1024
    assert trace(SPECS["steady-1"], 0)[1].rate_hz < 1.1
    assert 200 < trace(SPECS["steady-300"], 0)[1].rate_hz <= 310
