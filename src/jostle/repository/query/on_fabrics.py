"""Adds the traffic between hosts to the loads of co-running jobs, if a fabric is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jostle.repository.query.co_running import Beside, facts, met
from jostle.repository.query.engine import Engine
from jostle.repository.query.traffic import traffic
from jostle.topology import Topology


def on_fabrics(engine: Engine, beside: Beside, fabrics: Sequence[Topology]) -> Beside:
    """Return the loads of co-running jobs with the traffic of all jobs that ran meanwhile.

    Jobs that only share links with the job are added to the others.

    Args:
        engine: The query engine.
        beside: The loads, without traffic.
        fabrics: All versions of all fabrics.
    """
    job = beside.job
    if not any(host in fabric.adapters_of for fabric in fabrics for host in job.nodes):
        return beside
    sent = traffic(engine, (job.start_ns, job.end_ns or job.seen_ns), None)
    names = [name for name in sent.jobs if name != job.job and name not in beside.others]
    more = {name: fact for name, fact in facts(engine, names).items() if met(job, fact)}
    others = beside.others | more
    return replace(
        beside, others=others, traffic=sent.only({job.job, *others}), fabrics=tuple(fabrics)
    )
