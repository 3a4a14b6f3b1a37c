"""Draws the jobs that users of a simulated site submit: sizes, durations, arrivals, job arrays.

The model is that of Lublin and Feitelson, 2003, with their parameters of batch jobs. Constants are
theirs unless a comment says that they are ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import gamma

from jostle_lab.synthetic.site.programs import Program, aggressor, catalogue, victim
from jostle_lab.synthetic.site.spec import SiteSpec

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Sizes: shares of all jobs that have one node, and that have a power of two in addition; the
# two-stage uniform distribution of log2 of the size: its lower end, the share of its first stage,
# and how far below its upper end the first stage ends.
_ONE, _POWER, _LOW, _NEAR, _BELOW = 0.2927, 0.6686, 1.2, 0.875, 2.5
_MOST_USUAL = 4.5  # ours: log2 nodes below which the first stage ends, on however large a machine
# Durations: two gamma distributions (shape, scale) of the natural logarithm of seconds; the share
# of the first depends on the size.
_SHORT, _LONG, _SLOPE, _SHARE = (6.57, 0.823), (639.1, 0.0156), -0.003, 0.6986
# Submissions over the day: a gamma distribution (shape, scale) of half-hours since midnight, of
# which the 24 hours from 5:00 on are taken.
_DAY, _DAY_BEGINS = (6.1271, 5.2740), 11
# The rest is ours.
_LEAST_S, _MOST_S = 30.0, 86_400.0
_WALLTIMES = np.array([0.5, 1, 2, 4, 8, 12, 24]) * 3600.0
_WEEKEND = 0.55  # of the submissions of a working day
_IN_ARRAYS, _ARRAY = 0.12, 9.0  # submissions that are arrays, and their mean length
_FAILED = 0.05  # jobs that abort before their work is done


@dataclass
class JobMix:
    """All jobs of a site, in order of submission; arrays have one entry per job.

    Attributes:
        programs: Programs that the jobs run.
        program: Number of each job's program.
        user: Number of each job's user.
        nodes: Number of nodes of each job.
        work_s: Undisturbed run time of each job, in seconds.
        limit_s: Time limit of each job, in seconds.
        submit_s: Time at which the job was submitted, s after the site's start.
        mount: Number of each job's scratch file system.
        fails: Whether each job aborts.
        turn_s: Offset in the program's cycle at which each job begins, in seconds.
        injected: For an injected aggressor its number; for an injected victim the number of its
            aggressor; else -1.
        aggressor: Whether the job is an injected aggressor.
    """

    programs: list[Program]
    program: Ints
    user: Ints
    nodes: Ints
    work_s: Floats
    limit_s: Floats
    submit_s: Floats
    mount: Ints
    fails: NDArray[np.bool_]
    turn_s: Floats
    injected: Ints
    aggressor: NDArray[np.bool_]

    def __len__(self) -> int:
        """Return the number of jobs."""
        return len(self.program)


def draw_jobs(spec: SiteSpec) -> JobMix:
    """Draw the jobs of a site."""
    draw = np.random.default_rng([spec.seed, 1])
    programs = catalogue(draw)
    span = spec.slices * spec.slice_s
    most = spec.nodes - spec.reserved
    pool = _pool(spec, programs, draw)
    mean = float((pool["nodes"] * pool["work_s"]).mean())
    # Jobs that run at the start, so that the site is full from then on: a random instant is more
    # often in long ones, anywhere in their run.
    odds = pool["nodes"] * pool["work_s"]
    before = draw.choice(len(odds), 4 * most, p=odds / odds.sum())
    before = before[: int(np.searchsorted(np.cumsum(pool["nodes"][before]), most)) + 1]
    early = {name: values[before].copy() for name, values in pool.items()}
    early["work_s"] *= draw.random(len(before))
    early["submit_s"] = np.sort(draw.uniform(0, min(600.0, span / 20), len(before)))
    rate = spec.load * most / mean  # jobs/s
    late = _stream(pool, rate, span, draw)
    every = {name: np.concatenate([early[name], late[name]]) for name in early}
    first = len(programs)
    injected, more = _injected(spec, span, draw, first)
    programs += more
    every = {name: np.concatenate([every[name], injected.get(name, np.zeros(0))]) for name in every}
    of = np.concatenate(
        [np.full(len(early["nodes"]) + len(late["nodes"]), -1), injected["injected"]]
    )
    hurts = np.concatenate(
        [np.zeros(len(of) - len(injected["injected"]), bool), injected["aggressor"] > 0]
    )
    by = np.argsort(every["submit_s"], kind="stable")
    every = {name: values[by] for name, values in every.items()}
    count = len(by)
    work = np.clip(every["work_s"], _LEAST_S, _MOST_S)
    wanted = work * np.exp(np.abs(draw.normal(0.4, 0.6, count)))
    limit = _WALLTIMES[np.minimum(np.searchsorted(_WALLTIMES, wanted), len(_WALLTIMES) - 1)]
    fails = (draw.random(count) < _FAILED) & (of[by] < 0)
    return JobMix(
        programs,
        every["program"].astype(np.int64),
        every["user"].astype(np.int64),
        every["nodes"].astype(np.int64),
        np.where(fails, work * draw.random(count), work),
        limit,
        every["submit_s"],
        every["mount"].astype(np.int64),
        fails,
        np.where(of[by] < 0, draw.random(count) * 1e4, 0.0),
        of[by],
        hurts[by],
    )


def _pool(spec: SiteSpec, programs: list[Program], draw: np.random.Generator) -> dict[str, Floats]:
    """Draw submissions of all kinds: users have programs, sizes and durations of their own."""
    users = 12 + int(spec.nodes**0.5 * 3)
    weights = np.array([program.weight for program in programs])
    # Some users submit very much more than others.
    busy = 1 / np.arange(1, users + 1) ** 0.8
    favourites = draw.choice(len(programs), (users, 3), p=weights / weights.sum())
    home = draw.integers(spec.file_systems, size=users)
    count = 4000
    user = draw.choice(users, count, p=busy / busy.sum())
    program = favourites[user, draw.choice(3, count, p=[0.7, 0.2, 0.1])]
    nodes = _sizes(spec.nodes - spec.reserved, count, draw)
    # A job that a user repeats has the same size and about the same duration as before.
    habit = draw.random(count) < 0.6
    usual = _sizes(spec.nodes - spec.reserved, users * len(programs), draw)
    nodes = np.where(habit, usual[user * len(programs) + program], nodes)
    mpi = np.array([each.mpi for each in programs])
    nodes = np.where(mpi[program], nodes, 1)
    work = _durations(nodes, draw)
    return {
        "program": program.astype(float),
        "user": user.astype(float),
        "nodes": nodes,
        "work_s": work,
        "mount": home[user].astype(float),
    }


def _sizes(most: int, count: int, draw: np.random.Generator) -> Floats:
    high = np.log2(max(2.0, most / 2))
    middle = max(min(high - _BELOW, _MOST_USUAL), min(_LOW + 0.1, high))
    low = min(_LOW, middle)
    kind = draw.random(count)
    near = draw.random(count) < _NEAR
    size = np.where(near, draw.uniform(low, middle, count), draw.uniform(middle, high, count))
    size = np.where(kind < _ONE + _POWER, np.round(size), size)
    nodes = np.where(kind < _ONE, 1.0, np.round(2**size))
    return np.clip(nodes, 1, most)


def _durations(nodes: Floats, draw: np.random.Generator) -> Floats:
    count = len(nodes)
    short = draw.random(count) < np.clip(_SLOPE * nodes + _SHARE, 0, 1)
    logs = np.where(short, draw.gamma(*_SHORT, count), draw.gamma(*_LONG, count))
    seconds: Floats = np.clip(np.exp(logs), _LEAST_S, _MOST_S)
    return seconds


def _stream(
    pool: dict[str, Floats], rate: float, span: float, draw: np.random.Generator
) -> dict[str, Floats]:
    """Draw submissions over time: more by day and on working days, some as arrays."""
    each = 1 + _IN_ARRAYS * (_ARRAY - 1)
    week = _week()
    peak = week.max()
    at = np.sort(draw.uniform(0, span, draw.poisson(peak * rate / each * span)))
    kept = at[draw.random(len(at)) < week[(at / 1800).astype(int) % len(week)] / peak]
    chosen = draw.integers(len(pool["nodes"]), size=len(kept))
    arrays = draw.random(len(kept)) < _IN_ARRAYS
    times = np.where(arrays, 1 + draw.geometric(1 / (_ARRAY - 1), len(kept)), 1)
    source = np.repeat(np.arange(len(kept)), times)
    jobs = {name: values[chosen[source]] for name, values in pool.items()}
    # Jobs of an array are small and alike.
    many = times[source] > 1
    jobs["nodes"] = np.where(many, np.minimum(jobs["nodes"], 2), jobs["nodes"])
    jobs["work_s"] = jobs["work_s"] * np.exp(draw.normal(0, 0.15, len(source)))
    jobs["submit_s"] = kept[source]
    return jobs


def _week() -> Floats:
    """Return the rate of submissions in each half-hour of the week, 1 on average."""
    place = np.arange(_DAY_BEGINS, _DAY_BEGINS + 48)
    edges = gamma.cdf([place - 0.5, place + 0.5], _DAY[0], scale=_DAY[1])
    day = np.roll(edges[1] - edges[0], _DAY_BEGINS - 1)
    week = np.outer([1.0] * 5 + [_WEEKEND] * 2, day).ravel()
    rate: Floats = week / week.mean()
    return rate


def _injected(
    spec: SiteSpec, span: float, draw: np.random.Generator, first: int
) -> tuple[dict[str, Floats], list[Program]]:
    """Return aggressors, and for each of them two victims that begin before it and end after it."""
    programs: list[Program] = []
    rows: list[list[float]] = []
    room = span / max(spec.aggressors, 1)
    for number in range(spec.aggressors):
        kind, mount = number % 3, int(draw.integers(spec.file_systems))
        programs.append(aggressor(kind, spec.capacity, spec.meta_capacity, draw))
        length = float(min(draw.uniform(0.3, 0.45) * room, 3000))
        begin = number * room + float(draw.uniform(0.15, 0.3)) * room
        user = float(draw.integers(5))
        rows.append([first + len(programs) - 1, user, 1, length, begin, mount, number, 1])
        programs.append(victim(draw, meta=kind == 1))
        for later in range(2):
            early = (0.1 + 0.03 * later) * room if length < 3000 else 600.0
            rows.append(
                [
                    first + len(programs) - 1,
                    5 + later,
                    1,
                    length + 1.6 * early,
                    begin - early,
                    mount,
                    number,
                    0,
                ]
            )
    names = ("program", "user", "nodes", "work_s", "submit_s", "mount", "injected", "aggressor")
    table = np.array(rows, dtype=float).reshape(-1, len(names))
    return {name: table[:, place] for place, name in enumerate(names)}, programs
