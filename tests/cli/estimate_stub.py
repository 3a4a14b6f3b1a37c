"""The command with estimates of known figures: run as a program in place of `jostle`.

What the engines say is not what is looked at here, but how the verbs say it. STUB_PERCENT lists
what successive estimates of `run --gate` shall say; `fail` raises.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests/plot")]

import estimates  # noqa: E402
import pyarrow as pa  # noqa: E402

import jostle.analysis  # noqa: E402
from jostle.analysis.estimation.model import Interval  # noqa: E402
from jostle.cli import output  # noqa: E402
from jostle.cli.commands.look import estimate as verb  # noqa: E402
from jostle.cli.main import main  # noqa: E402
from jostle.errors import JostleError, UsageError  # noqa: E402

JOBS = {
    "heads": estimates.heads,
    "heads-1": lambda: estimates.heads(job="heads-1"),
    "heads-2": lambda: estimates.heads(disturbed=False, seed=2, job="heads-2"),
    **{
        f"{kind}-run-{number}": lambda kind=kind, number=number: estimates.plain(
            estimates.heads(disturbed=False, job=f"{kind}-run-{number}"),
            run_s=float(number + (20 if kind == "new" else 30)),
        )
        for kind in ("old", "new")
        for number in (1, 2, 3)
    },
    "clean": lambda: estimates.heads(disturbed=False, job="clean"),
    "ftq": estimates.ftq,
    "short": lambda: estimates.plain(
        estimates.ftq(),
        job="short",
        percent=Interval(2, 0, 20),
        lost_s=Interval(0.2, 0, 2),
        coverage=0.3,
        hits=[],
        causes=[],
    ),
    "wide": lambda: estimates.plain(
        estimates.heads(disturbed=False),
        job="wide",
        percent=Interval(4.7, 0, 67),
        lost_s=Interval(1.1, 0, 15.9),
        hits=[],
        causes=[],
        doubts=("method", "shared cores"),
    ),
    "oversubscribed": lambda: estimates.plain(
        estimates.heads(disturbed=False),
        job="oversubscribed",
        percent=Interval(0, 0, 1),
        lost_s=Interval(0, 0, 0.3),
        hits=[],
        causes=[],
    ),
}


class Store:
    """A repository of these jobs."""

    def resolve_parts(self, name: str, *, owner: int | None = None) -> list[str]:
        return [self.resolve_job(name, owner=owner)]

    def resolve_job(self, name: str, *, owner: int | None = None) -> str:
        if name not in JOBS:
            raise UsageError(f"There is no job {name!r}.", hint="Did you mean heads?")
        return name

    def run_tables(self, name: str) -> Any:
        paths = pa.table({"mount": [estimates.SHARED] * 2, "path": ["/shared/deep", "/shared"]})
        processes = self.job_processes(name)
        return SimpleNamespace(job=name, mounts=paths, processes=processes, worlds=())

    def program(self, name: str) -> str:
        return "ftq" if name == "ftq" else "heads"

    def jobs(self) -> Any:
        return pa.table({"job": list(JOBS)})

    def job_processes(self, name: str) -> Any:
        return pa.table({"slice_ns": [4_000_000_000]})

    def query(self, sql: str, params: Any = ()) -> Any:
        """All of these jobs have profiles: nothing is known of imported ones."""
        return pa.table({"job": pa.array([], pa.string())})

    def require_whole(self, name: str) -> None:
        pass

    def has_company(self, name: str) -> bool:
        return name in ("heads", "oversubscribed")

    def alongside(self, name: str) -> Any:
        others = {"writer": 1, "idler": 1} if self.has_company(name) else {}
        return SimpleNamespace(job=SimpleNamespace(job=name, user=0), others=others, name=name)


def estimate(tables: Any, **how: Any) -> Any:
    """The answer of the engine."""
    if tables.job in JOBS:
        return JOBS[tables.job]()
    said = os.environ.get("STUB_PERCENT", "0").split(",")
    if said[0] == "fail":
        raise JostleError("The run is too short to be assessed.", hint="Run it for longer.")
    os.environ["STUB_PERCENT"] = ",".join(said[1:] or said)
    value = float(said[0])
    return estimates.plain(
        estimates.heads(disturbed=False),
        job=tables.job,
        percent=Interval(value, value, value),
        coverage=float(os.environ.get("STUB_COVERAGE", "0.9")),
    )


def identify(alongside: Any, **how: Any) -> Any:
    part = 1.0 if alongside.name == "oversubscribed" else 0.25
    return estimates.alongside(estimates.heads(job=alongside.name), part)


def put_in() -> None:
    """Replaces the engines and the repository by these."""
    import jostle.cli.commands.look.compare as compare
    import jostle.report.models.job.among_runs as among_runs

    among_runs.newest_other_run = lambda _store, name, _owner=None: f"{name}-before"
    jostle.analysis.estimate = estimate  # type: ignore[assignment]
    jostle.analysis.identify = identify  # type: ignore[assignment]
    real = jostle.analysis.compare

    def compared(runs: Any, *baseline: int) -> Any:
        return real(runs, *baseline) if baseline or len(runs) > 2 else estimates.two_runs()

    jostle.analysis.compare = compared  # type: ignore[assignment]
    verb.open_repository = lambda path, **_: Store()  # type: ignore[assignment,return-value]
    compare.open_repository = verb.open_repository  # type: ignore[attr-defined]


def batch(commands: list[dict[str, Any]]) -> list[list[Any]]:
    """Run commands one after the other: importing anew would take longer than all of them.

    Args:
        commands: Of each its words, columns and the encoding of its terminal.

    Returns:
        Of each its exit status, stdout and stderr.
    """
    seen = []
    for command in commands:
        os.environ["COLUMNS"] = str(command["columns"])
        both = [io.TextIOWrapper(io.BytesIO(), encoding=command["encoding"]) for _ in range(2)]
        output.console.cache_clear()
        with contextlib.redirect_stdout(both[0]), contextlib.redirect_stderr(both[1]):
            code = main(command["words"])
        texts = []
        for stream in both:
            stream.flush()
            texts.append(stream.buffer.getvalue().decode(command["encoding"]))  # type: ignore[attr-defined]
        seen.append([code, *texts])
    return seen


if __name__ == "__main__":
    if sys.argv[1] == "run":
        jostle.analysis.estimate = estimate  # type: ignore[assignment]
        sys.exit(main(sys.argv[1:]))
    put_in()
    if sys.argv[1] == "--batch":
        print(json.dumps(batch(json.load(sys.stdin))))
    else:
        sys.exit(main(sys.argv[1:]))
