"""Planted truth on GPUs and buses: who is blamed, where, for how much, and who is not."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pytest
from beside_maker import SLICE_NS, START, Floats, bursts, noise, table

from jostle.analysis import identify, neighbours
from jostle.analysis.identification.gpus import _place
from jostle.repository.query.co_running import NODE_METRICS, NODE_TIMES, Beside, JobFacts
from jostle.repository.query.gpus import GPU_SUMS, NO_GPUS

SIZE = 160
MIB = 1 << 20
SWITCH = "pci0000:80/0000:80:01.1/0000:81:00.0"
#: gpu -> its place and NUMA node: two below one switch, one at the same root, one at another.
GPUS = {
    "0000:83:00.0": (f"{SWITCH}/0000:82:08.0/0000:83:00.0", 1),
    "0000:84:00.0": (f"{SWITCH}/0000:82:0c.0/0000:84:00.0", 1),
    "0000:a1:00.0": ("pci0000:80/0000:80:03.1/0000:a1:00.0", 1),
    "0000:c1:00.0": ("pci0000:c0/0000:c0:01.1/0000:c1:00.0", 1),
    "0000:03:00.0": ("pci0000:00/0000:00:01.1/0000:03:00.0", 0),
}
MINE = "0000:83:00.0"


def rows(gpu: str, columns: Mapping[str, Floats], job: str = "") -> pa.Table:
    path, numa = GPUS[gpu]
    on = np.flatnonzero(np.sum([np.asarray(v) for v in columns.values()], axis=0) > 0)
    keys: dict[str, Floats | list[str]] = {"job": [job] * len(on)} if job else {}
    keys |= {
        "host": ["node1"] * len(on), "gpu": [gpu] * len(on), "pci_path": [path] * len(on),
        "numa": np.full(len(on), numa), "slice": START + on.astype(float),
        "slice_ns": np.full(len(on), float(SLICE_NS)),
        "start_ns": (START + on.astype(float)) * SLICE_NS,
        "length_ns": np.full(len(on), float(SLICE_NS)), "count": np.ones(len(on)),
    }  # fmt: skip
    keys |= {f"gpu_{name}_sum": np.asarray(values)[on] for name, values in columns.items()}
    made = table(keys, GPU_SUMS)
    names = NO_GPUS.column_names if job else [n for n in NO_GPUS.column_names if n != "job"]
    return made.select(names)


def beside(
    own: Mapping[str, Floats], others: Mapping[str, tuple[str, Mapping[str, Floats]]],
    waits: Floats | None = None,
) -> Beside:  # fmt: skip
    """Gives a job on MINE of node1, and what others do on which GPU there."""
    size = len(next(iter(own.values())))

    def fact(name: str) -> JobFacts:
        begin, end = START * SLICE_NS, (START + size) * SLICE_NS
        return JobFacts(name, f"/bin/{name}", 1000, ("node1",), start_ns=begin, end_ns=end,
                        slice_ns=SLICE_NS, clocks=("one",))  # fmt: skip

    every = (*NODE_METRICS, *(f"{n}_{w}" for n in NODE_TIMES for w in ("max", "min")))
    nodes = table(
        {"host": ["node1"] * size, "slice": START + np.arange(float(size)),
         "slice_ns": np.full(size, float(SLICE_NS)), "count": np.ones(size),
         "gpu_wait_ns": np.zeros(size) if waits is None else waits}, every)  # fmt: skip
    loads = [rows(gpu, columns, job) for job, (gpu, columns) in others.items()]
    return Beside(
        fact("me"), {name: fact(name) for name in others},
        table({"mount": [], "slice": np.zeros(0)}, ("slice_ns", "count")), nodes,
        table({"job": [], "mount": [], "slice": np.zeros(0)}, ("slice_ns", "count")),
        table({"job": [], "host": [], "slice": np.zeros(0)}, ("slice_ns", "count", "cpu_ns")),
        table({"job": [], "slice": np.zeros(0)}, ("slice_ns", "count", "bytes", "ops", "ns")),
        own_gpus=rows(MINE, own), gpu_loads=pa.concat_tables(loads) if loads else NO_GPUS,
    )  # fmt: skip


def copier(slowed: Floats, seed: int) -> dict[str, Floats]:
    """Copies of 64 MiB there and back, by turns: 2 ms each undisturbed, half of the time."""
    seconds = 0.002 * slowed * noise(len(slowed), seed)
    ops = np.round(0.5 / (seconds + 0.002))
    return {
        **{f"{way}_ops": ops for way in ("h2d", "d2h")},
        **{f"{way}_bytes": ops * 64 * MIB for way in ("h2d", "d2h")},
        **{f"{way}_ns": ops * seconds * 1e9 for way in ("h2d", "d2h")},
    }


def copies(load: Floats) -> dict[str, Floats]:
    return {"h2d_bytes": load * 100, "h2d_ops": load * 100 / (16 * MIB)}


def slow_by(load: Floats, strength: float = 0.5) -> Floats:
    """Two programs that copy over one bus lose up to half (thesis §2.2.2, figure 2.10)."""
    return 1 + strength * np.minimum(load / (50 * MIB), 1)


@pytest.mark.parametrize(
    ("gpu", "place"),
    [
        (MINE, f"bus to GPU {MINE} of node1"),
        ("0000:84:00.0", "PCIe switch 0000:81:00.0 of node1"),
        ("0000:a1:00.0", "root complex pci0000:80 of node1"),
        ("0000:c1:00.0", "memory of NUMA node 1 of node1"),
        ("0000:03:00.0", ""),
    ],
)
def test_where_two_gpus_meet(gpu: str, place: str) -> None:
    assert _place(("node1", MINE, *GPUS[MINE]), (gpu, *GPUS[gpu])) == place


def test_unknown_places_meet_nowhere() -> None:
    assert _place(("node1", MINE, "", -1), ("0000:84:00.0", "", -1)) == ""


@pytest.mark.parametrize("gpu", [MINE, "0000:84:00.0", "0000:a1:00.0"])
def test_who_copies_over_the_same_bus_is_blamed_and_priced(gpu: str) -> None:
    load, far = bursts(SIZE, 901), bursts(SIZE, 902)
    slowed = slow_by(load)
    found = identify(beside(copier(slowed, 7), {
        "bad": (gpu, copies(load)), "elsewhere": ("0000:03:00.0", copies(far)),
    }))  # fmt: skip
    assert [suspect.job for suspect in found.suspects] == ["bad"]
    assert found.suspects[0].resource == _place(("node1", MINE, *GPUS[MINE]), (gpu, *GPUS[gpu]))
    assert "copied to GPUs" in found.suspects[0].pattern
    assert [r.kind for r in found.resources if r.evident] == ["bus"]
    ops = np.round(0.5 / (0.002 * slowed + 0.002))
    truth = float((2 * ops * 0.002 * (slowed - 1)).sum())
    assert found.seconds.value == pytest.approx(truth, rel=0.15)


def test_a_gpu_that_another_computes_on() -> None:
    """Without records of kernels: launches, each set against what is usual for its job."""
    load = bursts(SIZE, 911) > 0
    ops = np.round(900 / (1 + 0.6 * load) * noise(SIZE, 12, 0.03))
    found = identify(beside(
        {"launch_ops": ops}, {"bad": (MINE, {"launch_ops": load * 7.0})},
        waits=0.9e9 * noise(SIZE, 13, 0.02),
    ))  # fmt: skip
    assert [(s.job, s.resource) for s in found.suspects] == [("bad", f"GPU {MINE} of node1")]
    truth = float((0.9 * (1 - 1 / (1 + 0.6 * load))).sum())
    assert found.seconds.value == pytest.approx(truth, rel=0.15)


def test_two_jobs_that_do_no_harm() -> None:
    blamed = 0
    for seed in range(20):
        found = identify(beside(copier(np.ones(SIZE), 3000 + seed), {
            "a": (MINE, copies(bursts(SIZE, 4000 + seed))),
            "b": ("0000:84:00.0", copies(bursts(SIZE, 5000 + seed))),
        }))  # fmt: skip
        blamed += found.evident
    assert blamed <= 3  # 1 in 20, and two standard deviations


def test_the_harmful_one_of_two_places() -> None:
    right = 0
    for seed in range(20):
        load = bursts(SIZE, 6000 + seed)
        found = identify(beside(copier(slow_by(load, 0.3), 6100 + seed), {
            "bad": ("0000:84:00.0", copies(load)),
            "calm": (MINE, copies(bursts(SIZE, 6200 + seed))),
        }))  # fmt: skip
        right += [suspect.job for suspect in found.suspects] == ["bad"]
    assert right >= 18


def test_neighbours_on_gpus_are_listed() -> None:
    (one,) = neighbours(beside(copier(np.ones(SIZE), 1), {"a": (MINE, copies(bursts(SIZE, 2)))}))
    assert list(one.load) == [f"GPU {MINE}"]
    assert "copied" in one.load[f"GPU {MINE}"]
