"""Asks jostle, by its Python API, what a change would save, from a run without the change."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import jostle
from jostle.errors import JostleError
from jostle_lab.validation.advice.plan import (
    CHUNKS,
    EXCLUSIVE,
    FEWER,
    LARGE,
    LEAF,
    LICENCE,
    OF_SITE,
    RATE,
    SERVER,
    SHIFT,
    Experiment,
)

#: Name of the rule of jostle that advises each lever.
RULES = {
    SHIFT: "out of step",
    FEWER: "fewer at once",
    LICENCE: "licence",
    EXCLUSIVE: "exclusive nodes",
    RATE: "rate limit",
    SERVER: "drain",
    LEAF: "one switch",
    CHUNKS: "larger writes",
}
#: Text that only the advice on a lever has, and not other advice of the same rule.
_COMMANDS = {SERVER: "ceph osd out"}
ADVISE, REPLAY, PREDICT = "advise", "replay", "predict"
_SECONDS = 3600.0
_RATE_UNITS = {"GB/s": 1e9, "MB/s": 1e6, "kB/s": 1e3, "B/s": 1.0}


@dataclass(frozen=True)
class Foreseen:
    """What jostle predicts for the lever of an experiment.

    Attributes:
        source: Part of jostle that made the prediction: advise, replay or predict.
        advised: Whether the lever is advised; if not, no saving is predicted.
        value_s: Predicted saving: seconds of the first job's run time, or core seconds of a site.
        low_s: Lower end of its interval.
        high_s: Upper end of its interval.
        setting: Setting of the lever as advised; empty if the advice has none, or is not given.
        others: Rules of the other advice with a predicted saving, without that about time limits.
    """

    source: str
    advised: bool
    value_s: float = 0.0
    low_s: float = 0.0
    high_s: float = 0.0
    setting: Mapping[str, float] = field(default_factory=dict)
    others: tuple[str, ...] = ()


def foresee(repository: Path, experiment: Experiment, mark: str, seed: int) -> list[Foreseen]:
    """Return jostle's predictions for an experiment.

    Args:
        repository: Repository with the profiles of the run without the lever.
        experiment: The experiment.
        mark: Prefix of the jobs' names in the repository.
        seed: Seed of jostle's random steps.
    """
    with jostle.open(repository) as site:
        advice: Any
        if experiment.lever in OF_SITE:
            advice = site.advice(seed=seed, rate_limits=("lustre", "sshfs", "ceph-fuse"))
            found = [_of_rule(advice.found, experiment.lever, _SECONDS)]
        else:
            name = experiment.first if experiment.messages else f"{mark}-{experiment.first}"
            advice = site.job(name).advice(seed=seed)
            found = [_of_rule(advice.found, experiment.lever, 1.0)]
        if experiment.lever == LICENCE:
            found += [_replayed(site, advice, seed), _predicted(site, experiment, mark)]
    return found


def _of_rule(every: Sequence[Any], lever: str, unit_s: float) -> Foreseen:
    """Return the prediction for a lever among all advice; the first one if there are several.

    Args:
        every: All advice on a job or a site.
        lever: The lever.
        unit_s: Seconds of one unit of the savings.
    """
    with_saving = [each for each in every if each.saving is not None]
    rule, command = RULES.get(lever, ""), _COMMANDS.get(lever, "")
    mine = [each for each in with_saving if each.rule == rule]
    chosen = next((each for each in mine if command in " ".join(each.texts)), None)
    others = tuple(
        dict.fromkeys(each.rule for each in with_saving if each.rule not in (rule, "time limit"))
    )
    if chosen is None:
        return Foreseen(ADVISE, advised=False, others=others)
    value, low, high = (
        unit_s * end for end in (chosen.saving.value, chosen.saving.low, chosen.saving.high)
    )
    setting = _SETTINGS[lever](chosen) if lever in _SETTINGS else {}
    return Foreseen(ADVISE, True, value, low, high, setting, others)


def _replayed(site: jostle.Site, advice: Any, seed: int) -> Foreseen:
    """Return what a replay with the advised licence saves, in core seconds."""
    licence = next((each for each in advice.found if each.rule == RULES[LICENCE]), None)
    if licence is None:
        return Foreseen(REPLAY, advised=False)
    saved = site.replay(replace(advice, found=(licence,)), seed=seed).saved
    value, low, high = saved.value, saved.low, saved.high
    return Foreseen(REPLAY, True, _SECONDS * value, _SECONDS * low, _SECONDS * high)


def _predicted(site: jostle.Site, experiment: Experiment, mark: str) -> Foreseen:
    """Return the predicted loss of two jobs while both run, in core seconds.

    This is the saving of a licence that keeps them apart.
    """
    jobs = [site.job(f"{mark}-{job.name}") for job in experiment.jobs]
    both_s = (min(job.end for job in jobs) - max(job.start for job in jobs)).total_seconds()
    try:
        losses = site.predict(*(job.name for job in jobs)).losses
    except JostleError:
        return Foreseen(PREDICT, advised=False)
    cores = [job.processes for job in experiment.jobs]

    def saved(end: str) -> float:
        shares = [float(getattr(loss, end)) / 100 for loss in losses]
        return max(both_s, 0.0) * sum(
            share * many for share, many in zip(shares, cores, strict=True)
        )

    return Foreseen(PREDICT, True, saved("percent"), saved("low"), saved("high"))


# ---- settings, as they are in the texts of advice -----------------------------------------------
def _later(advice: Any) -> dict[str, float]:
    """Return by how much later the other job is to start: `sleep 3.25   # ...`."""
    return {"seconds": _number(r"sleep ([\d.]+)", advice.texts[0])}


def _at_once(advice: Any) -> dict[str, float]:
    """Return how many jobs may run at once: `#SBATCH --array=1-N%2   # ...`."""
    return {"at_once": _number(r"--array=1-N%(\d+)", advice.texts[0])}


def _licences(advice: Any) -> dict[str, float]:
    """Return the number of licences, and how many of them each program needs."""
    needs = {
        each.program: _number(r"licenses=[^:]+:(\d+)", each.words) for each in advice.directives
    }
    return needs | {"total": _number(r"Licenses=[^:]+:(\d+)", advice.settings[0])}


def _bytes_s(advice: Any) -> dict[str, float]:
    """Return the data rate that is left to a program: `limit writer to 3.2 MB/s on ...`."""
    units = "|".join(_RATE_UNITS)
    found = re.search(rf" to ([\d.e+]+) ({units}) on ", advice.lever)
    return {"bytes_s": float(found[1]) * _RATE_UNITS[found[2]]} if found else {}


def _server(advice: Any) -> dict[str, float]:
    """Return the number of the object server that is to be out of use: `ceph osd out 0   # ...`."""
    return {"out": _number(r"ceph osd out (\d+)", advice.texts[0])}


def _large(advice: Any) -> dict[str, float]:
    """Return the size of large writes, which is the same in all advice."""
    return {"chunk": float(LARGE)}


def _number(pattern: str, text: str) -> float:
    """Return the number in the first group of a pattern.

    Raises:
        ValueError: The pattern is not in the text.
    """
    found = re.search(pattern, text)
    if found is None:
        raise ValueError(f"There is no `{pattern}` in `{text}`.")
    return float(found[1])


_SETTINGS: dict[str, Callable[[Any], dict[str, float]]] = {
    SHIFT: _later,
    FEWER: _at_once,
    LICENCE: _licences,
    RATE: _bytes_s,
    SERVER: _server,
    CHUNKS: _large,
}
