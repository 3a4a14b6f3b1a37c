"""Why cores were slower, and how much energy the lost seconds took, from agents' counters."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "plot"))  # estimates

import estimates

from jostle.analysis.estimation.cores import explained_by_cores
from jostle.analysis.estimation.model import Cause, Hit, HitPart, RunEstimate
from jostle.analysis.interval import Interval
from jostle.report.verdict.verdict import cause_rows, head
from jostle.repository.types import CORE_METRICS, NO_CORE_STATES

SECOND = 10**9
RUN = 100  # slices of a second
LOST = np.zeros(RUN)
LOST[[*range(20, 32), *range(70, 78)]] = 0.3  # s


def run(lost: Any = LOST, cause: Any = ("unknown", "", "")) -> RunEstimate:
    """A run that lost time in these slices, to one cause."""
    name, resource, kind = cause
    whole = float(np.sum(lost))
    begin = 1_700_000_000 * SECOND
    hits = [
        Hit(
            begin + at * SECOND,
            begin + (at + 1) * SECOND,
            s,
            name,
            resource,
            1,
            [HitPart(name, resource, s, kind)],
        )
        for at, s in enumerate(lost)
        if s
    ]
    seconds = Interval(whole, 0.8 * whole, 1.2 * whole)
    return replace(
        estimates.ftq(),
        start_ns=begin,
        end_ns=begin + RUN * SECOND,
        run_s=float(RUN),
        lost_s=seconds,
        percent=seconds,
        hits=hits,
        limits=[],
        causes=[Cause(name, resource, seconds, "inferred", kind)],
    )


def rows(host: str = "node1", kind: str = "machine", name: str = "machine", **values: Any) -> Any:
    """Slices of a component; each value is one number or one for each slice, None: not known."""
    first = 1_700_000_000
    columns: dict[str, Any] = {
        "host": [host] * RUN,
        "kind": [kind] * RUN,
        "name": [name] * RUN,
        "slice": range(first, first + RUN),
        "slice_ns": [SECOND] * RUN,
        "span": [1] * RUN,
    }
    for metric in CORE_METRICS:
        value = values.get(metric, 0)
        columns[metric] = [value] * RUN if np.isscalar(value) or value is None else list(value)
    return pa.table({k: list(v) for k, v in columns.items()}, NO_CORE_STATES.schema)


def where(slices: Any, value: int, other: int = 0) -> list[int]:
    return [value if bad else other for bad in slices]


def test_a_cap_at_the_instants_of_the_loss_is_its_cause() -> None:
    bad = LOST > 0
    agents = rows(
        cpu_frequency_khz=where(bad, 2_100_000, 3_000_000),
        cpu_frequency_limit_khz=where(bad, 2_100_000),
    )
    both = explained_by_cores(run(), pa.concat_tables([agents, rows("node2")]))
    (row,) = cause_rows(both, {})
    assert (row.what, row.place) == ("CPU, slower cores: frequency limit at 2.1 GHz", "node1")
    assert row.seconds.value == pytest.approx(run().lost_s.value)
    assert head(both).what == "CPU, slower cores: frequency limit at 2.1 GHz"
    assert {part.kind for hit in both.hits for part in hit.by_cause} == {"capped"}
    assert not both.limits

    # It explains no more than the frequency can have cost: 0.1 of 0.3 s.
    agents = rows(
        cpu_frequency_khz=where(bad, 2_700_000, 3_000_000),
        cpu_frequency_limit_khz=where(bad, 2_700_000),
    )
    both = explained_by_cores(run(), agents)
    assert {cause.kind: round(cause.seconds.value, 3) for cause in both.causes} == {
        "": 4.0,
        "capped": 2.0,
    }
    assert sum(hit.seconds for hit in both.hits) == pytest.approx(6.0)


@pytest.mark.parametrize(
    ("values", "power", "words"),
    [
        (
            {"cpu_throttle_ns": where(LOST > 0, SECOND)},
            {"power_temperature_mc": 98_000},
            "CPU, slower cores: throttled by heat (98 °C)",
        ),
        ({"cpu_throttle_ops": where(LOST > 0, 3)}, {}, "CPU, slower cores: throttled by heat"),
        ({"cpu_steal_ns": where(LOST > 0, SECOND // 2)}, {}, "CPU, steal time"),
        (
            {},
            {"power_limit_uw": where(LOST > 0, 90_000_000, 200_000_000)},
            "CPU, slower cores: limited power (90 W)",
        ),
    ],
)
def test_each_state_has_its_words(
    values: dict[str, Any], power: dict[str, Any], words: str
) -> None:
    agents = pa.concat_tables([rows(**values), rows(kind="power", name="package-0", **power)])
    (row,) = cause_rows(explained_by_cores(run(), agents), {})
    assert row.what == words


def test_of_two_packages_the_one_that_was_limited_most_counts() -> None:
    bad = LOST > 0
    rare = np.roll(bad, 15)
    agents = pa.concat_tables(
        [
            rows(),
            rows(
                kind="power", name="package-0", power_limit_uw=where(bad, 90_000_000, 200_000_000)
            ),
            rows(
                kind="power", name="package-1", power_limit_uw=where(rare, 180_000_000, 200_000_000)
            ),
        ]
    )
    (row,) = cause_rows(explained_by_cores(run(), agents), {})
    assert row.what == "CPU, slower cores: limited power (90 W)"


def test_a_limit_of_the_own_control_group_explains_waits() -> None:
    agents = pa.concat_tables(
        [rows(kind="batch_job", name="job_1", cpu_quota_ns=where(LOST > 0, SECOND)), rows()]
    )
    (row,) = cause_rows(explained_by_cores(run(cause=("cpu", "node1", "")), agents), {})
    assert row.what == "CPU, stopped by its own CPU limit"


def test_what_does_not_agree_explains_nothing() -> None:
    bad = LOST > 0
    hot = {"cpu_throttle_ns": where(bad, SECOND)}
    for estimate, agents in (
        (run(), rows(cpu_throttle_ns=where(np.roll(bad, 15), SECOND))),  # at other times
        (run(), rows(cpu_throttle_ns=where(np.arange(RUN) == 21, SECOND))),  # once
        (run(cause=("cpu", "node1", "")), rows(**hot)),  # a core that others had
        (run(cause=("file system", "nfs", "")), rows(**hot)),
        (run(cause=("cpu", "node1", "core speed")), rows("node2", **hot)),  # elsewhere
        (run(np.full(RUN, 0.06)), rows(**hot)),  # lost evenly
        # A cap that the frequency never felt.
        (run(), rows(cpu_frequency_khz=3_000_000, cpu_frequency_limit_khz=where(bad, 3_000_000))),
        (run(), rows(cpu_throttle_ns=None)),
    ):
        assert explained_by_cores(estimate, agents) == estimate
    assert explained_by_cores(run(), NO_CORE_STATES) == run()


def test_independent_states_are_rarely_named() -> None:
    """Of 100 runs on 8 nodes, whose cores are hot at random times, few name one."""
    rng = np.random.default_rng(5)

    def bursts() -> Any:
        return np.roll(np.repeat(rng.random(RUN // 4) < 0.3, 4), rng.integers(4))

    named = 0
    for _ in range(100):
        nodes = [rows(f"node{n}", cpu_throttle_ns=where(bursts(), SECOND)) for n in range(8)]
        both = explained_by_cores(run(bursts() * rng.random(RUN) * 0.5), pa.concat_tables(nodes))
        named += any(cause.kind for cause in both.causes)
    assert named <= 10  # 5 % of them, and chance


def test_a_state_that_was_always_there_is_only_reported() -> None:
    capped = rows(cpu_frequency_khz=2_100_000, cpu_frequency_limit_khz=2_100_000)
    both = explained_by_cores(
        run(), pa.concat_tables([capped, rows("node2", cpu_frequency_khz=3_000_000)])
    )
    assert both.causes == run().causes
    assert both.limits == [
        "node1 ran capped at 2.1 GHz all the time, so its cost cannot be seen in this run. "
        "The other nodes: 3.0 GHz."
    ]
    assert "other nodes" not in explained_by_cores(run(), capped).limits[0]


def test_energy_lost_is_that_of_the_nodes_in_lost_time() -> None:
    def package(host: str, name: str, watts: int | None) -> Any:
        return rows(host, "power", name, power_energy_uj=watts and watts * 10**6)

    every = [
        rows("a"),
        package("a", "package-0", 100),
        package("a", "package-0/dram", 30),
        package("a", "package-1", 80),
        rows("b"),
        package("b", "node", 300),
        package("b", "node/cpu", 200),
    ]
    both = explained_by_cores(run(), pa.concat_tables(every))
    assert both.node_watts == pytest.approx(480)
    kwh = both.energy_lost_kwh
    assert kwh is not None
    assert kwh.value == pytest.approx(480 * 6 / 3.6e6)
    assert kwh.low < kwh.value < kwh.high
    assert both.to_json()["energy_lost_kwh"]["value"] == kwh.value
    without = [rows("a"), package("a", "package-0", 100), rows("b")]
    assert explained_by_cores(run(), pa.concat_tables(without)).energy_lost_kwh is None
    unknown = [rows("a"), package("a", "package-0", None)]
    assert explained_by_cores(run(), pa.concat_tables(unknown)).energy_lost_kwh is None
