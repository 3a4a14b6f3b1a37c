"""Advises a site to limit the data rates of programs: on Lustre by its token bucket filter."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

from jostle.analysis.site_advice.licences import demands
from jostle.analysis.site_advice.model import (
    LUSTRE,
    Cost,
    SiteEvidence,
    SiteJob,
    SiteRecommendation,
    added,
    scaled,
)
from jostle.analysis.site_advice.outcome import delays_of, lost_core_hours
from jostle.analysis.site_advice.words import core_hours, energy, is_safe, rate_text
from jostle.values.storage_servers import mount_of

#: Most programs of one mount for which a limit is given.
_MOST_CAUSES = 3
#: Least part of its requests that a limit leaves to a program.
_LEAST_LEFT = 0.1
#: Part of its requests from which on a limit does not help.
_MOST_LEFT = 0.9
#: Bytes of a request where they were not counted: the default of clients.
_RPC_BYTES = 4 * 1024 * 1024


def rate_limits(evidence: SiteEvidence) -> Iterator[SiteRecommendation]:
    """Yield the advice to limit the data rates of programs that slow others much.

    The limit leaves to a program the peak data rate of the file system, less what the most
    demanding of the slowed programs requests. Losses on metadata servers are left out, since limits
    for metadata need separate rules; so are file systems that cannot limit rates.

    Args:
        evidence: Recorded data of the period.
    """
    caused: dict[tuple[str, str], list[Cost]] = defaultdict(list)
    for cost in evidence.costs:
        mount, cause = mount_of(cost.resource), evidence.jobs.get(cost.cause)
        limited = mount.partition(":")[0] in evidence.rate_limits
        if cause is None or not limited or cost.kind == "metadata server":
            continue
        if cause.program != evidence.jobs[cost.job].program:
            caused[mount, cause.program].append(cost)
    by_size = sorted(caused.items(), key=lambda item: -sum(cost.seconds.value for cost in item[1]))
    for (mount, program), costs in by_size[:_MOST_CAUSES]:
        left = _left(evidence, mount, program, costs)
        if left is not None and is_safe(program):
            yield _recommendation(evidence, mount, program, costs, left)


def _left(evidence: SiteEvidence, mount: str, program: str, costs: list[Cost]) -> float | None:
    """Return the bytes per second that a limit leaves to a program; None: a limit does not help."""
    asked = demands(evidence, mount)
    peak, own = evidence.peaks.get(mount, 0.0), asked.get(program, 0.0)
    others = max(asked.get(evidence.jobs[cost.job].program, 0.0) for cost in costs)
    left = max(peak - others, _LEAST_LEFT * own)
    return left if 0 < left < _MOST_LEFT * own else None


def _recommendation(
    evidence: SiteEvidence, mount: str, program: str, costs: list[Cost], left: float
) -> SiteRecommendation:
    own = demands(evidence, mount)[program]
    lost = added(lost_core_hours(cost, evidence.jobs) for cost in costs)
    path = evidence.names.get(mount, mount)
    texts, rate_words = _rule(evidence, mount, program, left)
    late = [
        (job, job.mounts[mount].moved * (1 / left - 1 / own))
        for job in evidence.jobs.values()
        if job.program == program and mount in job.mounts
    ]
    less = _less(late)
    saved = scaled(lost, less)
    return SiteRecommendation(
        rule="rate limit",
        where=path,
        seen=(
            f"{program} requests {rate_text(own)} on {path}, and cost others "
            f"{core_hours(lost.value)} there"
        ),
        lever=f"limit {program} to {rate_text(left)} on {path}",
        texts=texts,
        saving=saved,
        kwh=energy(evidence, saved, {evidence.jobs[cost.job].program for cost in costs}),
        saving_words=(
            f"{less:.0%} of what it cost others, since it would move so much less per second"
            f"{rate_words}"
        ),
        pays=_pays(program, late),
        delays=delays_of([each for each in late if each[1] >= 1]),
        unless=(
            "the program shares clients with others: their requests then wait behind its own "
            "(LU-7982); or its requests vary in size, as the limit counts requests. The limit "
            "also applies when nobody else needs the bandwidth"
        ),
    )


def _less(late: list[tuple[SiteJob, float]]) -> float:
    """Return by which part a limit reduces the mean data rate of jobs that move the same bytes.

    This is less than the part by which it reduces their rate while they move data: with a limit
    their pauses are a smaller part of their time.

    Args:
        late: The limited jobs, and by how much longer each runs with the limit, in seconds.
    """
    longer = sum(delay for _, delay in late)
    return longer / (sum(job.run_s for job, _ in late) + longer)


def _rule(
    evidence: SiteEvidence, mount: str, program: str, left: float
) -> tuple[tuple[str, ...], str]:
    """Return the commands that limit a program, and a sentence about the limit.

    Both are empty for other file systems than Lustre: how their rates are limited is not known.

    Args:
        evidence: Recorded data of the period.
        mount: Identity of the mount.
        program: Program that is to be limited.
        left: Data rate that is left to the program, bytes per second.
    """
    if mount.partition(":")[0] != LUSTRE:
        return (), ""
    size = evidence.rpc_bytes.get(mount, 0.0)
    servers = evidence.servers.get(mount, 0)
    rate = max(math.floor(left / (size or _RPC_BYTES) / max(servers, 1)), 1)
    counted = "as counted" if size else "assumed, since they were not counted"
    by = f"{servers} servers" if servers else "one server: divide the rate by their number"
    texts = (
        'lctl set_param jobid_var=SLURM_JOB_ID jobid_name="%e.%j"   # on all clients',
        'lctl set_param ost.OSS.ost_io.nrs_policies="tbf jobid"     # on all object servers',
        f'lctl set_param ost.OSS.ost_io.nrs_tbf_rule="start jostle_{_word(program)} '
        f'jobid={{{program[:15]}.*}} rate={rate}"',
    )
    requests = f"{(size or _RPC_BYTES) / 1024:.0f} KiB ({counted})"
    return texts, f". The rate is for requests of {requests} to {by}"


def _pays(program: str, late: list[tuple[SiteJob, float]]) -> str:
    hours = sum(job.cores * delay for job, delay in late) / 3600
    return f"{program}: its {len(late)} jobs would have taken {core_hours(hours)} longer"


def _word(program: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in program)[:12]
