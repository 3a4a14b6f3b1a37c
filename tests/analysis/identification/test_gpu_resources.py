"""Known interference on GPUs and buses: suspects, places and shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from alongside_maker import SLICE_NS, START, Floats, bursts, noise, table

from jostle.analysis import identify, neighbours
from jostle.analysis.identification.resources.buses import meeting
from jostle.repository.query.resources.around_gpus import NO_MESSAGES, Device, Hardware
from jostle.repository.query.resources.co_running import (
    NODE_METRICS,
    NODE_TIMES,
    CoRunning,
    JobFacts,
)
from jostle.repository.query.resources.gpus import GPU_SUMS, NO_GPUS

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
MINE, ALONGSIDE = "0000:83:00.0", "0000:84:00.0"
#: Two adapters: one behind the switch of MINE, one at another root.
NEAR = Device("node1", "mlx5_0/1", f"{SWITCH}/0000:82:10.0/0000:85:00.0", 1)
FAR = Device("node1", "mlx5_1/1", "pci0000:00/0000:00:02.0/0000:02:00.0", 0)
UNSEEN = Hardware()
LINKED = Hardware(
    {("node1", gpu): MINE for gpu in (MINE, ALONGSIDE, "0000:a1:00.0", "0000:c1:00.0")}
)


def rows(gpu: str, columns: Mapping[str, Floats], job: str = "") -> pa.Table:
    path, numa = GPUS[gpu]
    on = np.flatnonzero(np.sum([np.asarray(v) for v in columns.values()], axis=0) > 0)
    keys: dict[str, Floats | list[str]] = {"job": [job] * len(on)} if job else {}
    keys |= {
        "host": ["node1"] * len(on),
        "gpu": [gpu] * len(on),
        "pci_path": [path] * len(on),
        "numa": np.full(len(on), numa),
        "slice": START + on.astype(float),
        "slice_ns": np.full(len(on), float(SLICE_NS)),
        "start_ns": (START + on.astype(float)) * SLICE_NS,
        "length_ns": np.full(len(on), float(SLICE_NS)),
        "count": np.ones(len(on)),
    }
    keys |= {f"gpu_{name}_sum": np.asarray(values)[on] for name, values in columns.items()}
    made = table(keys, GPU_SUMS)
    names = NO_GPUS.column_names if job else [n for n in NO_GPUS.column_names if n != "job"]
    return made.select(names)


def alongside(
    own: Mapping[str, Floats],
    others: Mapping[str, tuple[str, Mapping[str, Floats]]],
    waits: Floats | None = None,
    *,
    calls: Mapping[str, Floats] | None = None,
    messages: Mapping[str, Mapping[str, Floats]] | None = None,
    hardware: Hardware = UNSEEN,
) -> CoRunning:
    """Gives a job on MINE of node1, and what others do on which GPU there.

    calls: further columns of its node. messages: what others send. Who sends is on two nodes.
    """
    sent = messages or {}
    size = len(next(iter(own.values())))

    def fact(name: str) -> JobFacts:
        begin, end = START * SLICE_NS, (START + size) * SLICE_NS
        hosts = ("node1", "node2") if name in sent or (name == "me" and calls) else ("node1",)
        return JobFacts(
            name,
            f"/bin/{name}",
            1000,
            hosts,
            start_ns=begin,
            end_ns=end,
            slice_ns=SLICE_NS,
            clocks=("one",),
        )

    every = (*NODE_METRICS, *(f"{n}_{w}" for n in NODE_TIMES for w in ("max", "min")))
    nodes = table(
        {
            "host": ["node1"] * size,
            "slice": START + np.arange(float(size)),
            "slice_ns": np.full(size, float(SLICE_NS)),
            "count": np.ones(size),
            "gpu_wait_ns": np.zeros(size) if waits is None else waits,
            **(calls or {}),
        },
        every,
    )
    loads = [rows(gpu, columns, job) for job, (gpu, columns) in others.items()]
    reported = [
        table(
            {
                "job": [job] * size,
                "host": ["node1"] * size,
                "slice": START + np.arange(float(size)),
                "start_ns": (START + np.arange(float(size))) * SLICE_NS,
                **dict.fromkeys(("slice_ns", "length_ns"), np.full(size, float(SLICE_NS))),
                "count": np.ones(size),
                **columns,
            },
            NO_MESSAGES.column_names,
        )
        for job, columns in sent.items()
    ]
    return CoRunning(
        fact("me"),
        {name: fact(name) for name in (*others, *sent)},
        table({"mount": [], "slice": np.zeros(0)}, ("slice_ns", "count")),
        nodes,
        table({"job": [], "mount": [], "slice": np.zeros(0)}, ("slice_ns", "count")),
        table({"job": [], "host": [], "slice": np.zeros(0)}, ("slice_ns", "count", "cpu_ns")),
        table({"job": [], "slice": np.zeros(0)}, ("slice_ns", "count", "bytes", "ops", "ns")),
        own_gpus=rows(MINE, own),
        gpu_loads=pa.concat_tables(loads) if loads else NO_GPUS,
        message_loads=pa.concat_tables([part.select(NO_MESSAGES.column_names) for part in reported])
        if reported
        else NO_MESSAGES,
        hardware=hardware,
    )


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
    assert place_of(gpu) == place


def place_of(gpu: str) -> str:
    return meeting(Device("node1", MINE, *GPUS[MINE]), Device("node1", gpu, *GPUS[gpu]))[1]


def test_a_root_that_is_no_bridge_of_pci_is_no_place() -> None:
    """Below `platform` hang the root complexes of many machines that are no PCs."""
    gpu = Device("n", "a", "platform/1f00/pci0008:00/0008:00:00.0/0008:01:00.0", -1)
    near = Device("n", "b", "platform/1f00/pci0008:00/0008:00:08.0/0008:02:00.0", -1)
    far = Device("n", "c", "platform/2f00/pci0009:00/0009:00:00.0/0009:01:00.0", -1)
    assert meeting(gpu, near) == (3, "root complex pci0008:00 of n")
    assert meeting(gpu, far) == (-1, "")


def test_unknown_places_meet_nowhere() -> None:
    assert meeting(Device("node1", MINE, "", -1), Device("node1", ALONGSIDE, "", -1)) == (-1, "")


@pytest.mark.parametrize("gpu", [MINE, "0000:84:00.0", "0000:a1:00.0"])
def test_who_copies_over_the_same_bus_is_named_and_priced(gpu: str) -> None:
    load, far = bursts(SIZE, 901), bursts(SIZE, 902)
    slowed = slow_by(load)
    found = identify(
        alongside(
            copier(slowed, 7),
            {"bad": (gpu, copies(load)), "elsewhere": ("0000:03:00.0", copies(far))},
        )
    )
    assert [suspect.job for suspect in found.suspects] == ["bad"]
    assert found.suspects[0].resource == place_of(gpu)
    assert "copied to GPUs" in found.suspects[0].pattern
    assert [r.kind for r in found.resources if r.evident] == ["bus"]
    ops = np.round(0.5 / (0.002 * slowed + 0.002))
    truth = float((2 * ops * 0.002 * (slowed - 1)).sum())
    assert found.seconds.value == pytest.approx(truth, rel=0.15)


def test_a_gpu_that_another_computes_on() -> None:
    """Without records of kernels: launches, each set against what is usual for its job."""
    load = bursts(SIZE, 911) > 0
    ops = np.round(900 / (1 + 0.6 * load) * noise(SIZE, 12, 0.03))
    found = identify(
        alongside(
            {"launch_ops": ops},
            {"bad": (MINE, {"launch_ops": load * 7.0})},
            waits=0.9e9 * noise(SIZE, 13, 0.02),
        )
    )
    assert [(s.job, s.resource) for s in found.suspects] == [("bad", f"GPU {MINE} of node1")]
    truth = float((0.9 * (1 - 1 / (1 + 0.6 * load))).sum())
    assert found.seconds.value == pytest.approx(truth, rel=0.15)


def test_two_jobs_that_do_no_harm() -> None:
    named = 0
    for seed in range(20):
        found = identify(
            alongside(
                copier(np.ones(SIZE), 3000 + seed),
                {
                    "a": (MINE, copies(bursts(SIZE, 4000 + seed))),
                    "b": ("0000:84:00.0", copies(bursts(SIZE, 5000 + seed))),
                },
            )
        )
        named += found.evident
    assert named <= 3  # 1 in 20, and two standard deviations


def test_the_harmful_one_of_two_places() -> None:
    right = 0
    for seed in range(20):
        load = bursts(SIZE, 6000 + seed)
        found = identify(
            alongside(
                copier(slow_by(load, 0.3), 6100 + seed),
                {
                    "bad": ("0000:84:00.0", copies(load)),
                    "calm": (MINE, copies(bursts(SIZE, 6200 + seed))),
                },
            )
        )
        right += [suspect.job for suspect in found.suspects] == ["bad"]
    assert right >= 18


def test_neighbours_on_gpus_are_listed() -> None:
    (one,) = neighbours(alongside(copier(np.ones(SIZE), 1), {"a": (MINE, copies(bursts(SIZE, 2)))}))
    assert list(one.load) == [f"GPU {MINE}"]
    assert "copied" in one.load[f"GPU {MINE}"]
    found = alongside(
        copier(np.ones(SIZE), 1), {"a": (MINE, {"peer_bytes": np.full(SIZE, 2.0**20)})}
    )
    (one,) = neighbours(found)
    assert one.load == {f"GPU {MINE}": "160 MiB copied, 0 launches"}
    (one,) = neighbours(replace(found, own_gpus=found.own_gpus.slice(0, 0)))
    assert not one.load


# ---- NVLink and adapters ----


def between(slowed: Floats, seed: int) -> dict[str, Floats]:
    """Copies of 64 MiB to another GPU, of 1 ms each undisturbed, half of the time."""
    seconds = 0.001 * slowed * noise(len(slowed), seed)
    ops = np.round(0.5 / (seconds + 0.001))
    return {"peer_ops": ops, "peer_bytes": ops * 64 * MIB, "peer_ns": ops * seconds * 1e9}


def peers(load: Floats) -> dict[str, Floats]:
    return {"peer_bytes": load * 100, "peer_ops": load * 100 / (16 * MIB)}


def collectives(slowed: Floats, seed: int) -> dict[str, Floats]:
    """All-reduces of 32 MiB, of 2 ms each undisturbed."""
    seconds = 0.002 * slowed * noise(len(slowed), seed)
    ops = np.round(0.5 / (seconds + 0.002))
    spent = ops * seconds * 1e9
    return {
        "ccl_all_to_all_ops": ops,
        "ccl_all_to_all_bytes": ops * 32 * MIB,
        "ccl_all_to_all_ns": spent,
        "ccl_all_to_all_ns_min": spent,
    }


def messages(load: Floats) -> dict[str, Floats]:
    return {"bytes": load * 100, "ops": load * 100 / (16 * MIB)}


NVLINK = f"NVLink domain {MINE} of node1"


def test_who_copies_over_the_same_nvlink_is_named_and_priced() -> None:
    load = bursts(SIZE, 921)
    slowed = slow_by(load)
    found = identify(
        alongside(
            between(slowed, 22),
            {
                "bad": ("0000:a1:00.0", peers(load)),
                "elsewhere": ("0000:03:00.0", peers(load[::-1])),
            },
            hardware=LINKED,
        )
    )
    assert [(s.job, s.resource) for s in found.suspects] == [("bad", NVLINK)]
    assert "copied between GPUs" in found.suspects[0].pattern
    ops = np.round(0.5 / (0.001 * slowed + 0.001))
    truth = float((ops * 0.001 * (slowed - 1)).sum())
    assert found.seconds.value == pytest.approx(truth, rel=0.15)


def test_without_an_agent_no_nvlink_is_known() -> None:
    load = bursts(SIZE, 921)
    found = identify(alongside(between(slow_by(load), 22), {"bad": ("0000:a1:00.0", peers(load))}))
    assert not found.evident
    assert not found.resources


def trainer(slowed: Floats, seed: int) -> CoRunning:
    """A job on two GPUs, whose collectives are slowed by those of `bad` on two others."""
    load = (slowed - 1) * 100 * MIB
    found = alongside(
        {"launch_ops": np.full(SIZE, 100.0)},
        {"bad": ("0000:a1:00.0", {"launch_ops": load})},
        calls=collectives(slowed, seed),
        messages={"bad": {"ccl_bytes": load * 100}},
        hardware=LINKED,
    )
    mine, theirs = {"launch_ops": np.full(SIZE, 100.0)}, {"launch_ops": load}
    return replace(
        found,
        own_gpus=pa.concat_tables([found.own_gpus, rows(ALONGSIDE, mine)]),
        gpu_loads=pa.concat_tables([found.gpu_loads, rows("0000:c1:00.0", theirs, "bad")]),
    )


def test_collectives_over_the_same_nvlink() -> None:
    slowed = slow_by(bursts(SIZE, 931))
    found = identify(trainer(slowed, 32))
    assert [(s.job, s.resource) for s in found.suspects] == [("bad", NVLINK)]
    assert "in collectives" in found.suspects[0].pattern
    ops = np.round(0.5 / (0.002 * slowed + 0.002))
    assert found.seconds.value == pytest.approx(float((ops * 0.002 * (slowed - 1)).sum()), rel=0.15)
    assert any("time that messages and collectives took" in said for said in found.limits)


@pytest.mark.parametrize("adapters", [(NEAR,), (FAR, NEAR)])
def test_messages_through_an_adapter_behind_the_same_switch(adapters: tuple[Device, ...]) -> None:
    load = bursts(SIZE, 941)
    found = identify(
        alongside(
            copier(slow_by(load), 42),
            {},
            messages={"bad": messages(load)},
            hardware=Hardware(adapters=adapters),
        )
    )
    place = "PCIe switch 0000:81:00.0 of node1"
    assert [(s.job, s.resource) for s in found.suspects] == [("bad", place)]
    assert "sent to other nodes" in found.suspects[0].pattern


def test_an_adapter_elsewhere_is_no_neighbour() -> None:
    load = bursts(SIZE, 941)
    found = identify(
        alongside(
            copier(slow_by(load), 42),
            {},
            messages={"bad": messages(load)},
            hardware=Hardware(adapters=(FAR,)),
        )
    )
    assert not found.resources


def test_messages_slowed_by_copies_to_a_gpu_behind_the_same_switch() -> None:
    load = bursts(SIZE, 951)
    found = identify(
        alongside(
            {"launch_ops": np.ones(SIZE)},
            {"bad": (ALONGSIDE, copies(load))},
            calls=collectives(slow_by(load), 52),
            hardware=Hardware(adapters=(NEAR, FAR)),
        )
    )
    place = "PCIe switch 0000:81:00.0 of node1, to adapter mlx5_0/1"
    assert [(s.job, s.resource) for s in found.suspects] == [("bad", place)]
