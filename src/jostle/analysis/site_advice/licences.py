"""Advises on Slurm licences that limit which jobs use a file system at the same time."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from jostle.analysis.interval import Interval
from jostle.analysis.site_advice.model import Cost, Directive, SiteEvidence, SiteRecommendation
from jostle.analysis.site_advice.outcome import Outcome, Pair, by_pair, outcome
from jostle.analysis.site_advice.words import (
    core_hours,
    delay_words,
    energy,
    is_safe,
    listed,
    rate_text,
    share_words,
)
from jostle.values.storage_servers import FILE_KINDS, mount_of

#: Part of the peak: a program that requests less needs no licence.
_LEAST_SHARE = 0.05
#: Least number of licences into which a bandwidth is divided.
_LEAST_COUNT = 10
#: Part of their time: jobs that lose less while they run together should not be separated.
_LEAST_LOSS = 0.05
#: Number of programs that cost most on a file system, for which running alone is tried.
_MOST_CAUSES = 3


def licences(evidence: SiteEvidence) -> Iterator[SiteRecommendation]:
    """Yield the advice on licences with which jobs would have slowed each other less.

    There are two kinds of licences for each file system: for shares of its bandwidth, and to
    separate a program from others.

    Args:
        evidence: Recorded data of the period.
    """
    by_mount: dict[str, list[Cost]] = {}
    for cost in evidence.costs:
        if cost.kind in FILE_KINDS:
            by_mount.setdefault(mount_of(cost.resource), []).append(cost)
    for mount, costs in sorted(by_mount.items()):
        lost = by_pair(costs, evidence.jobs)
        if lost:
            yield from _bandwidth(evidence, mount, lost)
            yield from _apart(evidence, mount, lost)


def demands(evidence: SiteEvidence, mount: str) -> dict[str, float]:
    """Return for each program how many bytes per second a job requests of a mount (median)."""
    rates: dict[str, list[float]] = {}
    for job in evidence.jobs.values():
        if mount in job.mounts:
            rates.setdefault(job.program, []).append(job.mounts[mount].rate)
    return {program: sorted(some)[len(some) // 2] for program, some in rates.items()}


def _bandwidth(
    evidence: SiteEvidence, mount: str, lost: Mapping[Pair, Interval]
) -> Iterator[SiteRecommendation]:
    """Yield the advice on licences for shares of a mount's bandwidth.

    The bandwidth is the highest data rate that the mount served in the period.

    Args:
        evidence: Recorded data of the period.
        mount: Identity of the mount.
        lost: Core hours that programs lost to each other on the mount.
    """
    peak = evidence.peaks.get(mount, 0.0)
    if peak <= 0:
        return
    unit = _unit(peak)
    total = math.floor(peak / unit)
    needs = {
        program: min(math.ceil(rate / unit), total)
        for program, rate in demands(evidence, mount).items()
        if rate >= _LEAST_SHARE * peak and is_safe(program)
    }
    if not needs:
        return
    done = outcome(evidence, lambda job: mount in job.mounts, lost, needs, total)
    if done.saved.value < _LEAST_LOSS * done.apart:
        return
    name = f"{_licence_name(evidence, mount)}_bw"
    asked = ", ".join(f"{program} {rate_text(needs[program] * unit)}" for program in sorted(needs))
    yield _recommendation(
        evidence,
        mount,
        (name, needs, total),
        (lost, done),
        seen=(f"{_path(evidence, mount)} served at most {rate_text(peak)}; jobs request: {asked}"),
        lever=(
            f"let the jobs on {_path(evidence, mount)} share {total} licences of "
            f"{rate_text(unit)} each"
        ),
    )


def _apart(
    evidence: SiteEvidence, mount: str, lost: Mapping[Pair, Interval]
) -> Iterator[SiteRecommendation]:
    """Yield the advice on licences that separate a program from those that it slows much.

    Args:
        evidence: Recorded data of the period.
        mount: Identity of the mount.
        lost: Core hours that programs lost to each other on the mount.
    """
    caused: dict[str, float] = {}
    for (cause, _), hours in lost.items():
        caused[cause] = caused.get(cause, 0.0) + hours.value
    for cause in sorted(caused, key=lambda each: -caused[each])[:_MOST_CAUSES]:
        victims = sorted(
            {victim for by, victim in lost if by == cause and lost[by, victim].low > 0}
        )
        if not victims or not all(map(is_safe, (cause, *victims))):
            continue
        total = max(_at_once(evidence, mount, [each for each in victims if each != cause]), 1)
        needs = dict.fromkeys(victims, 1) | {cause: total}
        done = outcome(evidence, lambda job: mount in job.mounts, lost, needs, total)
        if done.saved.value < _LEAST_LOSS * done.apart:
            continue
        others = [victim if victim != cause else f"another {cause}" for victim in victims]
        yield _recommendation(
            evidence,
            mount,
            (f"{_licence_name(evidence, mount)}_{_word(cause)}", needs, total),
            (lost, done),
            seen=(
                f"{cause} cost {listed(victims)} {core_hours(caused[cause])} on "
                f"{_path(evidence, mount)}"
            ),
            lever=f"do not run {cause} at the same time as {listed(others)}",
        )


def _recommendation(
    evidence: SiteEvidence,
    mount: str,
    licence: tuple[str, Mapping[str, float], int],
    found: tuple[Mapping[Pair, Interval], Outcome],
    *,
    seen: str,
    lever: str,
) -> SiteRecommendation:
    name, needs, total = licence
    lost, done = found
    directives = tuple(
        Directive(program, f"licenses={name}:{int(number)}")
        for program, number in sorted(needs.items())
    )
    settings = (f"Licenses={name}:{total}",)
    return SiteRecommendation(
        rule="licence",
        where=_path(evidence, mount),
        seen=seen,
        lever=lever,
        texts=(
            f"{settings[0]}   # slurm.conf",
            *(f"#SBATCH --{each.words}   # jobs that run {each.program}" for each in directives),
        ),
        saving=done.saved,
        kwh=energy(evidence, done.saved, {victim for _, victim in lost}),
        saving_words=share_words(done, lost.values(), _path(evidence, mount)),
        pays=delay_words(done),
        delays=done.delays,
        unless=(
            "cores are idle while jobs wait for a licence, because then nobody can use the core "
            "hours that are saved"
        ),
        settings=settings,
        directives=directives,
    )


def _at_once(evidence: SiteEvidence, mount: str, programs: list[str]) -> int:
    """Return the greatest number of jobs of given programs that used a mount at the same time."""
    moments = []
    for job in evidence.jobs.values():
        if job.program in programs and mount in job.mounts:
            moments += [(job.start_s, 1), (job.end_s, -1)]
    now = most = 0
    for _, step in sorted(moments):  # at one instant ends come first
        now += step
        most = max(most, now)
    return most


def _unit(peak: float) -> float:
    """Return the bytes per second of one licence: a round number, at most a tenth of the peak."""
    rough = peak / _LEAST_COUNT
    power = 10.0 ** math.floor(math.log10(rough))
    return max(step * power for step in (1, 2, 5) if step * power <= rough)


def _path(evidence: SiteEvidence, mount: str) -> str:
    return evidence.names.get(mount, mount)


def _licence_name(evidence: SiteEvidence, mount: str) -> str:
    return _word(_path(evidence, mount)) or "storage"


def _word(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[-40:]
