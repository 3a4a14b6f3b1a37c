"""Adds the traffic between hosts to the loads of co-running jobs, if a fabric is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jostle.repository.query.engine import Engine
from jostle.repository.query.resources.co_running import CoRunning, facts, met
from jostle.repository.query.resources.traffic import traffic
from jostle.topology import Topology


def on_fabrics(engine: Engine, alongside: CoRunning, fabrics: Sequence[Topology]) -> CoRunning:
    """Add the traffic between hosts, of all jobs that ran meanwhile, to loads of co-running jobs.

    Jobs that share only network links with the job are added to CoRunning.others.

    Args:
        engine: The query engine.
        alongside: The loads, without traffic.
        fabrics: All versions of all fabrics.
    """
    job = alongside.job
    if not any(host in fabric.adapters_of for fabric in fabrics for host in job.nodes):
        return alongside
    sent = traffic(engine, (job.start_ns, job.end_ns or job.seen_ns), None)
    names = [name for name in sent.jobs if name != job.job and name not in alongside.others]
    more = {name: fact for name, fact in facts(engine, names).items() if met(job, fact)}
    others = alongside.others | more
    return replace(
        alongside, others=others, traffic=sent.only({job.job, *others}), fabrics=tuple(fabrics)
    )
