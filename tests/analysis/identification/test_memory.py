"""Known interference on the memory of a node: suspects, their shares, and what is kept apart."""

from __future__ import annotations

import numpy as np
import pytest
from alongside_maker import Floats, noise
from memory_maker import GB, SIZE, Node, hog

from jostle.analysis import JobInterference, identify
from jostle.analysis.identification.resources.sensitivity import sensitivity

MEMORY = "memory of node1"


def named(found: JobInterference) -> list[tuple[str, str]]:
    return [(suspect.job, suspect.resource) for suspect in found.suspects]


def on_memory(found: JobInterference) -> list[str]:
    return [suspect.job for suspect in found.suspects if suspect.resource == MEMORY]


def slowed(load: Floats, seed: int, by: float = 0.7) -> Floats:
    return (1 + by * load) * noise(SIZE, 1000 + seed, 0.02)


def test_who_loads_memory_is_named_and_who_only_computes_is_not() -> None:
    right = seconds = wrong = 0
    for seed in range(20):
        hogging, computing = hog(seed), hog(500 + seed)
        node = Node(slowed(hogging, seed), {"hog": hogging, "calm": computing}, seed=seed)
        found = identify(node.make())
        right += on_memory(found)[:1] == ["hog"]
        wrong += "calm" in on_memory(found)
        loss = next(each for each in found.resources if each.resource == MEMORY)
        seconds += abs(loss.seconds.value / node.lost_s - 1) < 0.25
        assert 0 <= loss.seconds.low <= loss.seconds.value <= loss.seconds.high <= found.run_s
    assert right >= 19
    assert wrong <= 1
    assert seconds >= 17


def test_without_slower_memory_nobody_is_named_on_it() -> None:
    wrong = 0
    for seed in range(40):
        node = Node(
            noise(SIZE, seed, 0.05), {"one": hog(seed), "other": hog(900 + seed)}, seed=seed
        )
        wrong += bool(on_memory(identify(node.make())))
    assert wrong <= 3


def test_waiting_for_a_core_is_not_memory() -> None:
    for seed in range(6):
        starving = 0.5 * hog(seed)
        node = Node(noise(SIZE, seed, 0.02), {"hog": 2 * hog(seed)}, waited=starving, seed=seed)
        found = identify(node.make())
        assert on_memory(found) == []


def test_a_program_without_a_profile_can_load_memory() -> None:
    load = hog(3)
    found = identify(Node(slowed(load, 3), {}, unprofiled={"dd (pid 7)": load}, seed=3).make())
    (suspect,) = [each for each in found.suspects if each.resource == MEMORY]
    assert (suspect.job, suspect.kind) == ("dd (pid 7)", "unprofiled")


def test_a_load_by_cpu_time_only_is_said_to_be_less_certain() -> None:
    load = hog(5)
    found = identify(Node(slowed(load, 5), {"hog": load}, seed=5).make())
    (suspect,) = [each for each in found.suspects if each.resource == MEMORY]
    assert suspect.pattern == "1.0 cores busy, what they move is not counted: less certain"
    assert any("less certain" in limit for limit in found.limits)
    assert next(r for r in found.resources if r.kind == "memory").load_source == "cores"


def test_cache_misses_distinguish_who_computes_at_the_same_time() -> None:
    """Both are on at the same instants; only what they move differs."""
    right = 0
    for seed in range(8):
        both = hog(seed)
        heavy = both * np.random.default_rng(seed).uniform(0.3, 1.0, SIZE)
        moved = {"hog": 8 * GB * heavy, "calm": 1e6 * both, "me": np.full(SIZE, 1 * GB)}
        node = Node(slowed(heavy, seed), {"hog": both, "calm": both}, misses=moved, seed=seed)
        found = identify(node.make())
        right += on_memory(found) == ["hog"]
        assert next(r for r in found.resources if r.kind == "memory").load_source == "misses"
    assert right >= 7


def test_controllers_say_who_of_those_that_compute_moves_anything() -> None:
    hogging, computing = hog(7), hog(8)
    traffic = 6 * GB * hogging * noise(SIZE, 7, 0.05) + 0.5 * GB
    found = identify(
        Node(
            slowed(hogging, 7), {"hog": hogging, "calm": computing}, traffic=traffic, seed=7
        ).make()
    )
    assert on_memory(found) == ["hog"]
    loss = next(each for each in found.resources if each.kind == "memory")
    assert (loss.load_source, loss.unit) == ("controllers", "bytes")
    (suspect,) = [each for each in found.suspects if each.resource == MEMORY]
    rate, _, words = suspect.pattern.partition(" ")
    assert float(rate) == pytest.approx(6.0, abs=0.6)
    assert words == "GB/s by memory controllers"


def test_a_job_that_does_not_wait_for_memory_loses_nothing_there() -> None:
    load = hog(11)
    found = identify(Node(slowed(load, 11), {"hog": load}, part=0.0, seed=11).make())
    assert on_memory(found) == []


def test_without_a_pace_the_interval_begins_at_nothing() -> None:
    load = hog(13)
    node = Node(slowed(load, 13), {"hog": load}, part=1.0, paced=False, seed=13)
    found = identify(node.make())
    loss = next(each for each in found.resources if each.kind == "memory")
    assert loss.evident
    assert loss.seconds.low == 0
    assert loss.seconds.value == pytest.approx(node.lost_s, rel=0.25)
    assert node.lost_s <= loss.seconds.high <= found.run_s
    assert any("assumed to wait all the time" in limit for limit in found.limits)


def test_counters_alone_show_it_too() -> None:
    load = hog(17)
    moved = {"hog": 8 * GB * load, "me": np.full(SIZE, 1 * GB)}
    node = Node(slowed(load, 17), {"hog": load}, probed=False, misses=moved, seed=17)
    found = identify(node.make())
    assert on_memory(found) == ["hog"]
    loss = next(each for each in found.resources if each.kind == "memory")
    assert loss.seconds.value == pytest.approx(node.lost_s, rel=0.25)


def test_without_a_probe_or_counters_there_is_no_such_resource() -> None:
    load = hog(19)
    found = identify(Node(slowed(load, 19), {"hog": load}, probed=False, seed=19).make())
    assert all(each.kind != "memory" for each in found.resources)


def test_a_job_that_its_caches_hold_does_not_wait_for_memory() -> None:
    load = hog(13)
    node = Node(slowed(load, 13), {"hog": load}, paced=False, held=2 << 20, seed=13)
    assert on_memory(identify(node.make())) == []


@pytest.mark.parametrize("part", [0.0, 0.25, 0.5, 1.0, 2.0])
def test_the_sensitivity_to_memory_is_that_of_the_pace(part: float) -> None:
    slower = 1 + 0.6 * hog(23)
    took = (1 - part + part * slower) * noise(SIZE, 23, 0.02)
    found = sensitivity(slower, 1e6 / took, np.ones(SIZE))
    assert found is not None
    assert found.low <= part <= found.high
    assert found.value == pytest.approx(part, abs=0.1)
    assert 0 <= found.low <= found.value <= found.high <= 3


def test_a_pace_that_shows_nothing_gives_no_part() -> None:
    calm = np.ones(SIZE)
    wild = noise(SIZE, 29, 1.0)
    assert sensitivity(calm, wild, calm) is None
    assert sensitivity(1 + 0.1 * hog(29), wild, calm) is None
    assert sensitivity(calm[:8], calm[:8], calm[:8]) is None
    assert sensitivity(1 + hog(29), np.zeros(SIZE), calm) is None
