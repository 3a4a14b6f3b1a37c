"""The experiments on the memory of a node: their random choices, and the content of the log."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from jostle_lab.validation.lab.work import Work

BENCH = Path(__file__).parents[3] / "lab/bench/proofs/memory_mixes.py"


@pytest.fixture(scope="module")
def mixes() -> ModuleType:
    spec = importlib.util.spec_from_file_location("memory_mixes", BENCH)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["memory_mixes"] = module
    spec.loader.exec_module(module)
    return module


def test_twenty_experiments_with_two_and_three_jobs(mixes: ModuleType) -> None:
    plan = mixes.draw(7)
    assert Counter(one.group for one in plan) == mixes.GROUPS
    assert sum(mixes.GROUPS.values()) == 20
    assert {1 + len(one.loads) for one in plan if one.group == mixes.MEMORY} == {2, 3}
    assert all(sum(load.harm for load in one.loads) <= 1 for one in plan)
    assert mixes.draw(7) == plan != mixes.draw(8)


def test_less_per_second_of_a_core_not_less_for_want_of_one(mixes: ModuleType) -> None:
    """In odd slices the hog is on: half of a core is left, and of that a fifth less is done."""
    slices = range(100, 160)
    done = [[k, 400 if k % 2 else 1000] for k in slices]
    spans = [[k * mixes.SLICE_NS, (k + 1) * mixes.SLICE_NS] for k in slices if k % 2]
    used, cpu, waited = {}, 0, 0
    for k in range(98, 160):
        cpu += mixes.SLICE_NS // (2 if k % 2 else 1)
        waited += mixes.SLICE_NS // 2 if k % 2 else 0
        used[k] = [cpu, waited]
    work = Work(100 * mixes.SLICE_NS, 160 * mixes.SLICE_NS, done, {})
    less, part = mixes.slowed(work, used, spans)
    assert less == pytest.approx(20)
    assert part == pytest.approx(50)
    assert mixes.slowed(work, {}, spans)[0] is None


def test_what_does_not_count_is_no_proof(mixes: ModuleType) -> None:
    row = {"number": 1, "victim": "memory", "alongside": "*memory", "right": True}
    good = mixes.Row(group="memory", slowed=20.0, foreign=5.0, **row)
    idle = mixes.Row(group="memory", slowed=1.0, foreign=5.0, **row)
    oversubscribed = mixes.Row(group="memory", slowed=20.0, foreign=60.0, **row)
    assert [mixes.proves(each) for each in (good, idle, oversubscribed)] == [True, False, False]
    said = mixes.summary([good, idle, oversubscribed])
    assert said.startswith("Right: 1 of 1 that count. Of all that were made: memory 2 of 2; 1 more")
