"""Defines the families of synthetic runs: typical programs, each with some disturbances.

Seeds 0-99 are for tuning methods, seeds from 1000 on for scoring them.
"""

from __future__ import annotations

from jostle_lab.synthetic.traces.disturb import Disturbance
from jostle_lab.synthetic.traces.program import Call, ProgramLoop, ReplayProgram
from jostle_lab.synthetic.traces.trace import TraceSpec

_SET_UP = ProgramLoop(
    1.5,
    (
        Call("read", "file", 0.02, 4e-3, 1 << 20),
        Call("MPI_Barrier", "global", 0.15, 30e-6, 0),
        Call("MPI_Allgather", "global", 0.25, 200e-6, 4096),
        Call("MPI_Allreduce", "global", 0.07, 30e-6, 64),
    ),
)
_END = ProgramLoop(0.05, (Call("MPI_Barrier", "global", 0.05, 30e-6, 0),))


def _program(*phases: ProgramLoop, **figures: object) -> ReplayProgram:
    return ReplayProgram((_SET_UP, *phases, _END)).sized(**figures)


def _steady(rate: float, seconds: float) -> ProgramLoop:
    """Describe a program of one kind of step, with a collective at its end."""
    gap = 1 / rate
    cost = min(gap / 5, 15e-6)
    return ProgramLoop(seconds, (Call("MPI_Allreduce", "global", gap - 1.3 * cost, cost, 64),))


def _solver(rate: float, seconds: float, inner: tuple[int, int] = (8, 60)) -> ProgramLoop:
    """Describe time steps, each with an iterative solver whose number of iterations varies."""
    gap = 1 / rate
    mean = sum(inner) / 2
    return ProgramLoop(
        seconds,
        (
            Call("MPI_Sendrecv", "neighbours", mean * gap * 0.2, 40e-6, 80_000),
            Call("MPI_Allreduce", "global", mean * gap * 0.3, 20e-6, 8),
        ),
        (
            Call("MPI_Sendrecv", "neighbours", gap * 0.5, 8e-6, 8_000),
            Call("MPI_Allreduce", "global", gap * 0.3, 12e-6, 16),
            Call("MPI_Allreduce", "global", gap * 0.2, 12e-6, 8),
        ),
        inner,
    )


def _particles(seconds: float, step: float = 0.012) -> ProgramLoop:
    """Describe molecular dynamics, with neighbour lists that are rebuilt from time to time.

    A rebuild changes the number of bytes that ranks exchange.
    """
    return ProgramLoop(
        seconds,
        (
            Call("MPI_Sendrecv", "neighbours", step * 0.6, 60e-6, 120_000, bytes_drift=0.08),
            Call("MPI_Sendrecv", "neighbours", step * 0.1, 60e-6, 120_000, bytes_drift=0.08),
            Call("MPI_Allreduce", "global", step * 0.3, 20e-6, 48),
            Call("MPI_Allreduce", "global", step * 1.6, 25e-6, 8, every=11),
            Call("MPI_Allreduce", "global", step * 0.1, 20e-6, 96, every=50),
        ),
    )


def _halo(seconds: float, step: float = 0.02) -> ProgramLoop:
    """Describe a program without collectives: exchanges with neighbours only."""
    return ProgramLoop(
        seconds,
        (
            Call("MPI_Sendrecv", "neighbours", step * 0.5, 60e-6, 60_000),
            Call("MPI_Sendrecv", "neighbours", step * 0.5, 60e-6, 64_000),
        ),
    )


def _transposes(seconds: float) -> ProgramLoop:
    """Describe Fourier transforms, with few and large all-to-all collectives."""
    return ProgramLoop(
        seconds,
        (
            Call("MPI_Alltoall", "global", 0.18, 40e-3, 8 << 20),
            Call("MPI_Alltoall", "global", 0.12, 40e-3, 8 << 20),
            Call("MPI_Allreduce", "global", 0.05, 30e-6, 16),
        ),
    )


def _checkpoints(seconds: float) -> ProgramLoop:
    """Describe time steps after every 25th of which the state is written to a file."""
    return ProgramLoop(
        seconds,
        (
            Call("MPI_Sendrecv", "neighbours", 0.025, 60e-6, 60_000),
            Call("MPI_Allreduce", "global", 0.015, 20e-6, 64),
            Call("write", "file", 0.0, 90e-3, 8 << 20, every=25),
            Call("MPI_Barrier", "global", 1e-4, 20e-6, 0, every=25),
        ),
    )


def _wavefront(seconds: float, step: float = 0.034, planes: int = 32) -> ProgramLoop:
    """Describe wavefronts: planes of data that pass from the first rank to the last and back.

    Ranks work as a pipeline: each sends a plane on as soon as it is done.
    """
    plane = step * 0.4 / planes
    forth = (Call("MPI_Recv", "forth", 1e-6, 1.5e-6), Call("MPI_Send", "send", plane, 1e-6, 2560))
    back = (Call("MPI_Recv", "back", 1e-6, 1.5e-6), Call("MPI_Send", "send", plane, 1e-6, 2568))
    return ProgramLoop(
        seconds,
        (
            Call("MPI_Sendrecv", "neighbours", step * 0.2, 60e-6, 250_000),
            *forth * planes,
            *back * planes,
            Call("MPI_Allreduce", "global", 10e-6, 15e-6, 40, every=50),
        ),
    )


def _elements(seconds: float) -> ProgramLoop:
    """Describe the assembly of a matrix, a loop of computation without MPI calls."""
    return ProgramLoop(seconds, (Call("", "none", 0.02, 0.0, 0),))


def _gradients(seconds: float, step: float = 0.033) -> ProgramLoop:
    """Describe conjugate gradients with large matrices: all iterations are alike, and long."""
    return ProgramLoop(
        seconds,
        (
            Call("MPI_Sendrecv", "neighbours", step * 0.1, 30e-6, 73_000),
            Call("MPI_Allreduce", "global", step * 0.7, 12e-6, 8),
            Call("MPI_Allreduce", "global", step * 0.2, 12e-6, 8),
        ),
    )


_RARE = Disturbance("network", "call", 2.0, "gauss")
_LONG = Disturbance("network", "call", 0.2, "gauss")
_MIDDLE = Disturbance("network", "call", 25e-3, "gauss")
_INJECTED = Disturbance("network", "call", 5e-3, "gauss")
_LATE = Disturbance("network", "call", 8e-3, "gauss", where="one")
_HEAVY = Disturbance("network", "call", 15e-3, "pareto")
_DENSE = Disturbance("network", "call", 0.5e-3, "gauss")
_STORMS = Disturbance("network", "all", 2e-3, "exponential", spans=5, share=0.3)
_LONG_STORMS = Disturbance("network", "all", 60e-3, "exponential", spans=5, share=0.4)
_HOG = Disturbance("cpu", "steal", 6e-3, "exponential", where="one", spans=4, share=0.35)
_NODE = Disturbance("cpu", "steal", 4e-3, "exponential", where="node", spans=3, share=0.3)
_ALWAYS = Disturbance("cpu", "steal", 4e-3, "exponential", where="one", sustained=True)
_SLOW_DISK = Disturbance("file system", "file", spans=4, share=0.5)
_SLOW_MEMORY = Disturbance("memory", "slow", spans=4, share=0.25)
_SLOW_NODE = Disturbance("memory", "slow", where="node", spans=3, share=0.25)
_SLOW_ALWAYS = Disturbance("memory", "slow", sustained=True)
_CORES = Disturbance("cpu", "slow", spans=6, share=0.5)
_CORES_ALWAYS = Disturbance("cpu", "slow", sustained=True)
_NET_ALWAYS = Disturbance("network", "all", 0.2e-3, "exponential", sustained=True)

_LIST = (
    TraceSpec(
        "steady-1",
        _program(_steady(1, 200), ranks=16),
        (_RARE,),
        1,
        40,
        "one collective a second, sparse large delays",
    ),
    TraceSpec(
        "steady-15",
        _program(_steady(15, 60), ranks=32),
        (_LONG,),
        1,
        40,
        "15 collectives a second, sparse large delays",
    ),
    TraceSpec(
        "steady-70",
        _program(_steady(70, 60), ranks=64),
        (_MIDDLE,),
        1,
        40,
        "70 collectives a second, delays of 25 ms",
    ),
    TraceSpec(
        "steady-300",
        _program(_steady(300, 40), ranks=16),
        (_INJECTED,),
        1,
        40,
        "300 collectives a second, delays of 5 ms",
    ),
    TraceSpec(
        "steady-5000",
        _program(_steady(5000, 20), ranks=8, jitter=0.02),
        (_DENSE,),
        1,
        40,
        "5000 collectives a second, dense small delays",
    ),
    TraceSpec(
        "steady-30000",
        _program(_steady(30_000, 12), ranks=4, jitter=0.02),
        (_DENSE,),
        1,
        40,
        "30 000 collectives a second, dense small delays",
    ),
    TraceSpec(
        "dense-300",
        _program(_steady(300, 40), ranks=16),
        (_DENSE,),
        1,
        10,
        "300 collectives a second, dense small delays",
    ),
    TraceSpec(
        "heavy-70",
        _program(_steady(70, 60), ranks=16),
        (_HEAVY,),
        1,
        40,
        "70 collectives a second, delays with a heavy tail",
    ),
    TraceSpec(
        "solver-calls",
        _program(_solver(400, 40), ranks=16),
        (_INJECTED,),
        1,
        40,
        "iterative solver of varying content, delays of 5 ms",
    ),
    TraceSpec(
        "solver-steal",
        _program(_solver(400, 40), ranks=16),
        (_HOG,),
        1,
        40,
        "iterative solver of varying content, CPU of one rank stolen in spans",
    ),
    TraceSpec(
        "solver-storms",
        _program(_solver(2000, 30, (20, 120)), ranks=8),
        (_STORMS,),
        1,
        40,
        "fast iterative solver, network slow for everybody in spans",
    ),
    TraceSpec(
        "solver-memory",
        _program(_solver(300, 40), ranks=16),
        (_SLOW_MEMORY,),
        1,
        20,
        "iterative solver; memory is slow in some time spans",
    ),
    TraceSpec(
        "particles-calls",
        _program(_particles(40), ranks=8),
        (_MIDDLE,),
        1,
        40,
        "molecular dynamics with changing bytes, delays of 25 ms",
    ),
    TraceSpec(
        "particles-hog",
        _program(_particles(40), ranks=8),
        (_HOG,),
        1,
        40,
        "molecular dynamics, CPU of one rank stolen in spans",
    ),
    TraceSpec(
        "particles-memory",
        _program(_particles(40), ranks=8),
        (_SLOW_NODE,),
        1,
        20,
        "molecular dynamics, slow memory on a node in spans",
    ),
    TraceSpec(
        "halo-calls",
        _program(_halo(40), ranks=8),
        (_MIDDLE,),
        1,
        40,
        "no collectives, delays of 25 ms in exchanges",
    ),
    TraceSpec(
        "halo-steal",
        _program(_halo(40), ranks=8),
        (_HOG,),
        1,
        40,
        "no collectives, CPU of one rank stolen in spans",
    ),
    TraceSpec(
        "transposes",
        _program(_transposes(60), ranks=16),
        (_LONG_STORMS,),
        1,
        40,
        "large all-to-alls, network slow for everybody in spans",
    ),
    TraceSpec(
        "wavefront-calls",
        _program(_wavefront(16), ranks=2),
        (_INJECTED,),
        1,
        40,
        "pipelined sweeps, delays of 5 ms",
    ),
    TraceSpec(
        "wavefront-late",
        _program(_wavefront(16), ranks=4),
        (_LATE,),
        1,
        40,
        "pipelined sweeps, delays of 8 ms on one rank",
    ),
    TraceSpec(
        "wavefront-hog",
        _program(_wavefront(16), ranks=4),
        (_HOG,),
        1,
        40,
        "pipelined sweeps, CPU of one rank stolen in spans",
    ),
    TraceSpec(
        "wavefront-memory",
        _program(_wavefront(16), ranks=2),
        (_SLOW_MEMORY,),
        1,
        20,
        "pipelined sweeps; memory is slow in some time spans",
    ),
    TraceSpec(
        "assembly-calls",
        _program(_elements(16), _gradients(16), ranks=2),
        (_MIDDLE,),
        1,
        30,
        "half of the run without MPI, then a solver; delays of 25 ms",
    ),
    TraceSpec(
        "assembly-hog",
        _program(_elements(16), _gradients(16), ranks=2),
        (_HOG,),
        1,
        30,
        "half of the run without MPI, then a solver; CPU of one rank stolen in spans",
    ),
    TraceSpec(
        "assembly-node",
        _program(_elements(16), _gradients(16), ranks=8),
        (_NODE,),
        1,
        30,
        "half of the run without MPI, then a solver; a node's CPU stolen in spans",
    ),
    TraceSpec(
        "assembly-memory",
        _program(_elements(16), _gradients(16), ranks=2),
        (_SLOW_MEMORY,),
        1,
        20,
        "half of the run without MPI, then a solver; memory is slow in some time spans",
    ),
    TraceSpec(
        "imbalance-static",
        _program(_steady(40, 50), ranks=32, imbalance=0.12),
        (_MIDDLE,),
        1,
        40,
        "load imbalance that stays, delays of 25 ms",
    ),
    TraceSpec(
        "imbalance-wandering",
        _program(_steady(40, 50), ranks=32, imbalance=0.03, wandering=0.12),
        (_MIDDLE, _NODE),
        1,
        40,
        "load imbalance that wanders, delays and a node's CPU",
    ),
    TraceSpec(
        "imbalance-memory",
        _program(_steady(40, 50), ranks=32, imbalance=0.03, wandering=0.08),
        (_SLOW_NODE,),
        1,
        20,
        "load imbalance that wanders, slow memory on a node in spans",
    ),
    TraceSpec(
        "checkpoints",
        _program(_checkpoints(60), ranks=16),
        (_SLOW_DISK,),
        1,
        30,
        "checkpoints, file system slow in spans",
    ),
    TraceSpec(
        "many-causes",
        _program(_checkpoints(60), ranks=16),
        (_SLOW_DISK, _MIDDLE, _HOG),
        3,
        40,
        "file system, network and CPU together",
    ),
    TraceSpec(
        "two-phases",
        _program(_solver(300, 20), _steady(15, 25), _particles(20), ranks=16),
        (_MIDDLE,),
        1,
        40,
        "three kinds of phases, delays of 25 ms",
    ),
    TraceSpec(
        "ranks-256",
        _program(_solver(60, 40, (4, 20)), ranks=256, per_node=32),
        (_MIDDLE,),
        1,
        40,
        "256 ranks, iterative solver",
    ),
    TraceSpec(
        "ranks-1024",
        _program(_steady(20, 60), ranks=1024, per_node=64),
        (_LONG,),
        1,
        40,
        "1024 ranks, sparse large delays",
    ),
    TraceSpec(
        "always-cpu",
        _program(_solver(300, 40), ranks=8),
        (_ALWAYS,),
        2,
        40,
        "CPU of one rank stolen all the time",
    ),
    TraceSpec(
        "always-network",
        _program(_steady(200, 40), ranks=8),
        (_NET_ALWAYS,),
        2,
        20,
        "each collective a little longer all the time",
    ),
    TraceSpec(
        "always-memory",
        _program(_solver(300, 40), ranks=8),
        (_SLOW_ALWAYS,),
        2,
        30,
        "memory slow all the time: no single run can show it",
    ),
    TraceSpec(
        "cores-drift",
        _program(_solver(300, 40), ranks=8),
        (_CORES,),
        1,
        25,
        "cores slow in half of the run, with a core-speed probe",
        core_probe=True,
    ),
    TraceSpec(
        "cores-always",
        _program(_particles(40), ranks=8),
        (_CORES_ALWAYS,),
        2,
        30,
        "cores slow from first to last, with a core-speed probe",
        core_probe=True,
    ),
    TraceSpec(
        "cores-delays",
        _program(_steady(70, 50), ranks=16),
        (_CORES_ALWAYS, _MIDDLE),
        2,
        40,
        "cores slow from first to last and delays of 25 ms, with a core-speed probe",
        core_probe=True,
    ),
    TraceSpec(
        "clean-core-probe",
        _program(_solver(300, 40), ranks=8),
        (),
        0,
        0,
        "nothing disturbs it, and the core-speed probe shows it",
        core_probe=True,
    ),
    TraceSpec(
        "clean-imbalance",
        _program(_solver(300, 40), ranks=16, imbalance=0.08, wandering=0.08),
        (),
        0,
        0,
        "nothing disturbs it: imbalance and varying content only",
    ),
    TraceSpec(
        "clean-wavefront",
        _program(_wavefront(16), ranks=4, imbalance=0.05),
        (),
        0,
        0,
        "nothing disturbs it: pipelined sweeps and imbalance",
    ),
    TraceSpec(
        "clean-assembly",
        _program(_elements(16), _gradients(16), ranks=4, imbalance=0.03),
        (),
        0,
        0,
        "nothing disturbs it: half of the run without MPI, and imbalance",
    ),
    TraceSpec(
        "clean-content",
        _program(
            ProgramLoop(50, (Call("MPI_Allreduce", "global", 0.03, 20e-6, 64),), content=0.15),
            ranks=16,
        ),
        (),
        0,
        0,
        "nothing disturbs it: work differs where calls do not",
    ),
)

#: The families by name.
SPECS = {spec.name: spec for spec in _LIST}
