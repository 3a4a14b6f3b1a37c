"""Recommends the kind of tool to use next, by rules on a job's digest (Shah, 2020, section 2.1).

A digest shows that something takes time, but not why. Each rule names a kind of tool that shows the
reason, with examples that anybody can install.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jostle.analysis.digest.mpi_world import Advice
from jostle.analysis.shares_of_time import share_of_lives

if TYPE_CHECKING:
    from jostle.analysis.digest.mpi_world import WorldDigest

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
}


@dataclass(frozen=True)
class Rule:
    """The conditions under which a kind of tool is recommended.

    Attributes:
        name: Name of the rule.
        when: Conditions, all of which must hold, each as (feature, comparison, threshold). A
            condition on an unknown feature (nan) does not hold.
        unless: Names of rules that make this rule superfluous if they hold.
        kind: Kind of tool that is recommended.
        tools: Examples of such tools.
        why: Text that says what the digest shows and what the tool adds. Names of features in
            braces are replaced by their values; `imbalance` and features that end in _share are
            shown as percentages.
    """

    name: str
    when: tuple[tuple[str, str, float], ...]
    kind: str
    tools: tuple[str, ...]
    why: str
    unless: tuple[str, ...] = ()


RULES: tuple[Rule, ...] = (
    Rule(
        "oversubscribed",
        (("runqueue_share", ">=", 0.05),),
        "who held the cores, then the binding of ranks and threads",
        ("jostle interference JOB", "mpirun --report-bindings", "lstopo of hwloc"),
        "the ranks waited {runqueue_share} of their time for a core: other jobs held the cores, or "
        "there are more runnable threads than cores, or threads are bound to the same ones",
    ),
    Rule(
        "io",
        (("io_share", ">=", 0.10),),
        "I/O characterisation",
        ("Darshan, with its DXT module",),
        "file calls take {io_share} of the ranks' time; it shows every file with its sizes and "
        "alignment, DXT each access",
    ),
    Rule(
        "imbalance",
        (("imbalance", ">=", 0.15), ("computation_share", ">=", 0.20), ("mpi_share", ">=", 0.05)),
        "wait-state analysis of a trace",
        ("Scalasca on Score-P",),
        "the busiest rank computes {imbalance} longer than the mean and the others wait for it; "
        "it finds the place in the code where the waiting begins",
    ),
    Rule(
        "latency",
        (
            ("collective_share", ">=", 0.15),
            ("collectives_per_s", ">=", 1000),
            ("bytes_per_collective", "<=", 1024),
        ),
        "benchmark of the network's latency",
        ("OSU micro-benchmarks",),
        "{collectives_per_s} collectives a second of {bytes_per_collective} bytes each: their "
        "latency decides; compare it with what nodes and MPI can do",
    ),
    Rule(
        "communication",
        (("mpi_share", ">=", 0.25),),
        "communication profile by call site",
        ("mpiP", "Score-P with Cube or Vampir"),
        "MPI takes {mpi_share} of the ranks' time (point-to-point {p2p_share}, collectives "
        "{collective_share}); they name the calls in the source, and Score-P their order in time",
    ),
    Rule(
        "threads",
        (("omp_threads", ">=", 2), ("threads_ratio", "<", 0.7)),
        "OpenMP profiler",
        ("Score-P (OMPT)", "HPCToolkit", "Intel VTune's threading analysis"),
        "of {omp_threads} OpenMP threads {effective_threads} are at work on average; they "
        "distinguish serial parts, waiting in barriers and uneven loops",
    ),
    Rule(
        "memory",
        (("computation_share", ">=", 0.4), ("instructions_per_cycle", "<", 0.8)),
        "memory analysis by hardware counters",
        ("LIKWID (group MEM)", "perf mem", "Intel VTune's memory access analysis"),
        "{instructions_per_cycle} instructions per cycle: the cores wait, as a rule for memory; "
        "they show bandwidth and the misses behind it",
    ),
    Rule(
        "misses",
        (("computation_share", ">=", 0.4), ("misses_per_kilo", ">=", 10)),
        "memory analysis by hardware counters",
        ("LIKWID (group MEM)", "perf mem", "Intel VTune's memory access analysis"),
        "{misses_per_kilo} last-level misses per 1000 instructions; they show bandwidth and whose "
        "data it is",
        unless=("memory",),
    ),
    Rule(
        "neighbours",
        (("waited_share", ">=", 0.05),),
        "look at the neighbours",
        ("jostle background JOB", "jostle timeline JOB --metric wait"),
        "MPI calls took {waited_share} of the time beyond what calls of their kind usually take: "
        "other jobs, or late ranks",
    ),
    Rule(
        "hot spots",
        (("computation_share", ">=", 0.60),),
        "sampling profiler",
        ("perf record", "HPCToolkit"),
        "{computation_share} of the time is computation outside MPI and file calls; it shows "
        "which functions and loops take it",
        unless=("memory", "misses", "threads", "imbalance"),
    ),
)


#: The same rules for training jobs, with other tools.
TRAINING_RULES: tuple[Rule, ...] = (
    replace(RULES[0], tools=("jostle interference JOB", "numactl --show", "lstopo of hwloc")),
    *(rule for rule in RULES if rule.name == "io"),
    Rule(
        "communication",
        (("in_collectives_share", ">=", 0.25),),
        "trace of a few training steps",
        ("PyTorch Profiler", "Nsight Systems"),
        "collectives are under way {in_collectives_share} of the time; it shows which of them "
        "computation hides, and which it waits for",
    ),
    Rule(
        "neighbours",
        (("waited_share", ">=", 0.05),),
        "look at the neighbours",
        ("jostle background JOB", "jostle timeline JOB --metric wait"),
        "collectives took {waited_share} of the time beyond what such calls usually take: other "
        "jobs, or late ranks",
    ),
    Rule(
        "hot spots",
        (("in_collectives_share", "<", 0.25),),
        "profiler of operators",
        ("PyTorch Profiler", "py-spy"),
        "collectives are under way only {in_collectives_share} of the time; it shows which "
        "operators, or which loading of data, take the rest",
    ),
)


def features(world: WorldDigest) -> dict[str, float]:
    """Return the values of an MPI world that rules may use, by name; nan where one is unknown."""
    shares = {share.name: share.share for share in world.shares}
    p2p, collective = shares.get("point-to-point", 0.0), shares.get("collective", 0.0)
    mpi = p2p + collective + shares.get("one-sided", 0.0) + shares.get("other mpi", 0.0)
    calls = next((kind for kind in world.traffic if kind.name == "collective"), None)
    number = calls.calls.total if calls else 0
    threads, counters = world.threads, world.counters
    queued, many = (world.metrics.get(name) for name in ("os_runqueue_ns", "os_threads"))
    lived = sum(share.seconds for share in world.shares)
    # All threads of a rank may wait at once, for longer together than the rank lived.
    threads_lived = lived * max(many.mean, 1.0) if many else lived
    return {
        "computation_share": shares.get("computation", math.nan),
        "p2p_share": p2p,
        "collective_share": collective,
        "mpi_share": mpi,
        "in_collectives_share": world.in_collectives,
        "io_share": shares.get("mpiio", 0.0) + shares.get("file i/o", 0.0),
        "imbalance": world.balance.imbalance if world.balance else math.nan,
        "collectives_per_s": calls.calls_per_s.mean if calls else 0.0,
        "bytes_per_collective": calls.bytes.total / number if calls and number else math.nan,
        "omp_threads": float(threads.omp_threads or 0),
        "effective_threads": threads.effective.mean,
        "threads_ratio": _known(threads.ratio),
        "runqueue_share": (
            share_of_lives(queued.total / 1e9, lived, threads_lived) if queued else 0.0
        ),
        "instructions_per_cycle": _known(counters.instructions_per_cycle),
        "misses_per_kilo": _known(counters.misses_per_kilo),
        "waited_share": world.waited,
    }


def _known(value: float | None) -> float:
    return math.nan if value is None else value


def advise(world: WorldDigest) -> list[Advice]:
    """Return the advice of all rules that hold for an MPI world, in the order of the rules."""
    rules = TRAINING_RULES if world.is_training else RULES
    return spoken(rules, features(world)) if world.counted else []


def spoken(rules: Sequence[Rule], seen: Mapping[str, float]) -> list[Advice]:
    """Return the advice of those rules that hold, in the order of the rules.

    Args:
        rules: The rules to check.
        seen: Value of each feature, by name; nan: unknown.
    """
    advices: list[Advice] = []
    for rule in rules:
        holds = all(_holds(seen, *condition) for condition in rule.when)
        if holds and not {advice.rule for advice in advices} & set(rule.unless):
            advices.append(Advice(rule.name, rule.kind, list(rule.tools), _fill(rule.why, seen)))
    return advices


def _holds(seen: Mapping[str, float], name: str, comparison: str, threshold: float) -> bool:
    value = seen[name]
    return not math.isnan(value) and _OPERATORS[comparison](value, threshold)


def _fill(text: str, seen: Mapping[str, float]) -> str:
    return text.format_map({name: _shown(name, value) for name, value in seen.items()})


def _shown(name: str, value: float) -> str:
    if math.isnan(value):
        return "?"
    if name.endswith("_share") or name == "imbalance":
        return f"{100 * value:.0f} %" if value >= 0.0995 else f"{100 * value:.1f} %"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2g}"
