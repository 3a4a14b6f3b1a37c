"""Routes of one job: its verdict, its digest, its time slices and its processes."""

from __future__ import annotations

import contextlib
import json
from typing import Annotated
from urllib.parse import quote

from fastapi import Query, Request
from fastapi.responses import Response

from jostle.analysis import JobDigest
from jostle.names.batch_jobs import part_name
from jostle.report.models.job.among_runs import figures_of
from jostle.report.models.job.job_trace import job_trace
from jostle.report.models.metrics import names, view
from jostle.report.verdict.whole_runs import like_runs_report
from jostle.schema.metrics import METRICS
from jostle.server.access import Looking
from jostle.server.context import Context
from jostle.server.job_service import EvaluationError
from jostle.server.jobs.grid import process_grid
from jostle.server.jobs.series import THEMSELVES, Question
from jostle.server.jobs.trend import Trend, trend_of
from jostle.server.routes.query import BINARY, FAR, FromNs, Job, Metric, Points, ToNs
from jostle.server.schemas.jobs import Assessment, Figures, JobGpus, Metrics, Series, Verdict
from jostle.server.schemas.reports import LikeRunsReport
from jostle.server.transport.routers import api_router
from jostle.server.verdicts.verdict_payload import page_payload

router = api_router()


@router.get(
    "/api/v1/jobs/{job:name}/verdict",
    operation_id="verdict",
    tags=["job"],
    response_model=Verdict,
    responses={202: {"model": Assessment}},
)
def verdict(
    context: Context,
    request: Request,
    viewer: Looking,
    job: Job,
    wait_s: Annotated[
        float,
        Query(
            ge=0,
            le=10,
            description="time in seconds to wait for a verdict that is still being computed",
        ),
    ] = 0.2,
    drawn: Annotated[
        bool,
        Query(
            description="if true, the verdict is smaller, as the job's page needs it. Hits "
            "close in time are joined if slices with interference are known. `own_load` and "
            "`others_load` are empty. Only the first resource has `steps_ns` and `service`"
        ),
    ] = False,
) -> Response:
    """Return the loss of a job to interference, with causes and times.

    While the verdict is being computed, the answer has HTTP status 202: retry after `Retry-After`
    seconds.
    """
    job = context.job(viewer, job)
    content = context.job_service.verdict(job, viewer, wait_s)
    if content is None:
        assessing = Assessment.model_validate(
            {
                "job": context.job_service.row(job, viewer) | {"part": part_name(job)},
                "progress": context.job_service.queue.progress(job),
            }
        )
        return Response(
            assessing.model_dump_json(), 202, {"Retry-After": "1"}, media_type="application/json"
        )
    key = ("verdict", job, viewer.users, drawn)
    return context.job_service.answer(
        request,
        key,
        lambda: page_payload(content) if drawn else content,
        of=[job],
        has_verdicts=True,
    )


@router.get(
    "/api/v1/jobs/{job:name}", operation_id="digest", tags=["job"], response_model=JobDigest
)
def digest(context: Context, request: Request, viewer: Looking, job: Job) -> Response:
    """Return the output of `jostle digest --json`, without `figures`."""
    job = context.job(viewer, job)
    key = ("digest answer", job)
    return context.job_service.answer(
        request, key, lambda: context.job_service.digest(job), of=[job]
    )


@router.get("/api/v1/jobs/{job:name}/figures", operation_id="figures", tags=["job"])
def figures(context: Context, viewer: Looking, job: Job) -> Figures:
    """Return `figures` of `jostle digest --json`: a job's numbers, and those of similar runs."""
    rows = context.rows(viewer)
    job = context.job(viewer, job)
    key = ("figures", viewer.users, job)  # quartiles depend on the visible jobs
    content = context.job_service.cached(
        key, lambda: figures_of(context.job_service.repository, rows, job)
    )
    return Figures.model_validate(content)


@router.get(
    "/api/v1/jobs/{job:name}/trend", operation_id="trend", tags=["job"], response_model=Trend
)
def trend(context: Context, request: Request, viewer: Looking, job: Job) -> Response:
    """Return a job and the other runs of its program that `figures` compares it with."""
    rows = context.rows(viewer)
    job = context.job(viewer, job)
    return context.job_service.answer(
        request,
        ("trend", viewer.users, job),
        lambda: trend_of(
            rows, job, lambda name: context.job_service.with_verdict(rows[name], viewer)
        ),
        has_verdicts=True,
    )


@router.get(
    "/api/v1/jobs/{job:name}/like-runs",
    operation_id="like_runs",
    tags=["job"],
    response_model=LikeRunsReport,
)
def like_runs(context: Context, request: Request, viewer: Looking, job: Job) -> Response:
    """Return how slow an imported job was among similar runs, and which jobs ran at the same time.

    Jobs that the viewer may not see are merged into one.
    """
    job = context.job(viewer, job)
    repository = context.job_service.repository
    key = ("like runs", job, viewer.users)
    return context.job_service.answer(
        request, key, lambda: like_runs_report(repository, job, viewer.users)
    )


@router.get(
    "/api/v1/jobs/{job:name}/perfetto",
    operation_id="perfetto",
    tags=["job"],
    response_class=Response,
    responses={200: {"content": {"application/json": {}}}},
)
def perfetto(context: Context, viewer: Looking, job: Job) -> Response:
    """Return the output of `jostle export JOB --format perfetto`: a file with a trace.

    For a viewer who may not see all jobs, the trace has neither the load of other jobs nor the jobs
    that the viewer may not see.
    """
    job = context.job(viewer, job)
    estimate = None
    with contextlib.suppress(EvaluationError):  # the rest of the trace needs no estimate
        estimate = context.job_service.estimate(job, viewer)
    trace = job_trace(context.job_service.repository, job, estimate, viewer.users)
    name = quote(f"{job}.perfetto.json", safe="")
    return Response(
        json.dumps(trace, ensure_ascii=False),
        media_type="application/json",
        headers={"Content-Disposition": f"attachment; filename*=UTF-8''{name}"},
    )


@router.get("/api/v1/metrics", operation_id="metrics", tags=["job"])
def metrics(context: Context, viewer: Looking) -> Metrics:
    """List the values of `metric`: views of several metrics, and single metrics."""
    known = [metric for metric in METRICS if metric.kind != "histogram"]
    single = {metric.id for metric in known}
    return Metrics.model_validate(
        {
            "views": [
                {"id": name, "title": view(name).title} for name in names() if name not in single
            ],
            "metrics": [
                {
                    "id": metric.id,
                    "group": metric.module,
                    "unit": metric.unit,
                    "scope": metric.scope,
                    "text": metric.doc,
                }
                for metric in known
            ],
        }
    )


@router.get(
    "/api/v1/jobs/{job:name}/series", operation_id="series", tags=["job"], response_model=Series
)
def series(
    context: Context,
    request: Request,
    viewer: Looking,
    job: Job,
    metric: Metric = "bytes",
    of: Annotated[
        str,
        Query(
            max_length=200,
            description="`job`: the job itself; `others`: all other jobs on its mounts or nodes; "
            "else the name of another job",
        ),
    ] = "job",
    resource: Annotated[
        str,
        Query(max_length=1000, description="the only mount or node to include; empty: all of them"),
    ] = "",
    from_ns: FromNs = 0,
    to_ns: ToNs = FAR,
    points: Points = 2000,
) -> Response:
    """Return a metric slice by slice, downsampled to a number of points.

    Parameter `of` selects whose values are returned: `job`, the job itself; `others`, all other
    jobs on the job's mounts or nodes; or the name of another job that the viewer may see, on the
    mounts or nodes that both used.
    """
    job = context.job(viewer, job)
    if of not in THEMSELVES:
        of = context.job(viewer, of)
    question = Question(job, metric, of, resource)
    key = ("series", job, metric, of, resource, from_ns, to_ns, points, viewer.users)
    return context.job_service.answer(
        request,
        key,
        lambda: context.job_service.series(
            job, metric, viewer, of=of, resource=resource, span=(from_ns, to_ns), points=points
        ),
        of=question.of_jobs,
    )


@router.get(
    "/api/v1/jobs/{job:name}/gpus", operation_id="gpus", tags=["job"], response_model=JobGpus
)
def gpus(
    context: Context,
    request: Request,
    viewer: Looking,
    job: Job,
    metric: Metric = "gpu",
    from_ns: FromNs = 0,
    to_ns: ToNs = FAR,
    points: Points = 2000,
) -> Response:
    """Return a metric slice by slice, for each of the twelve busiest GPUs of a job."""
    job = context.job(viewer, job)
    return context.job_service.answer(
        request,
        ("gpus", job, metric, from_ns, to_ns, points),
        lambda: context.job_service.gpus(job, metric, (from_ns, to_ns), points),
        of=(job,),
    )


@router.get(
    "/api/v1/jobs/{job:name}/grid",
    operation_id="grid",
    tags=["job"],
    response_class=Response,
    responses=BINARY,
)
def grid(
    context: Context,
    request: Request,
    viewer: Looking,
    job: Job,
    metric: Metric = "time",
    from_ns: FromNs = 0,
    to_ns: ToNs = FAR,
    columns: Points = 800,
) -> Response:
    """Return a metric per process and time step as an array.

    The answer has, little endian:

    - the length of the header, uint32;
    - the header, JSON, padded to four bytes: unit, start_ns, step_ns, columns, and rows (rank, name
      and host of each process);
    - the values, rows × columns, float32, row by row; NaN where the process did not run.
    """
    job = context.job(viewer, job)
    key = ("grid", job, metric, from_ns, to_ns, columns)
    return context.job_service.answer(
        request,
        key,
        lambda: process_grid(
            context.job_service.repository, job, metric, (from_ns, to_ns), columns
        ),
        "application/octet-stream",
        of=[job],
    )
