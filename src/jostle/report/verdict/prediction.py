"""Predicts the slowdown that jobs, programs or kinds of loads cause each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jostle.errors import UsageError
from jostle.repository.errors import JobError

if TYPE_CHECKING:
    from jostle.analysis.kinds import Capacity, LoadKind, PairSample, Prediction
    from jostle.repository import Repository

#: Most jobs from which the model learns: the newest, since systems change.
_NEWEST = 500
#: Most runs, the newest, that decide the kind of a program.
_RUNS = 20


@dataclass(frozen=True)
class _Load:
    """A requested load: its name, its kind, and a remark on the choice of the kind."""

    name: str
    kind: LoadKind
    note: str = ""


def prediction_of(
    store: Repository, names: Sequence[str], *, mount: str | None = None, viewer: int | None = None
) -> Prediction:
    """Return the slowdown that loads cause each other while all of them run.

    Args:
        store: The repository.
        names: At least two jobs, programs or kinds of loads (analysis.kinds.parse_kind); one may be
            named several times.
        mount: Mount that all loads use; None: the mount that most of the loads used.
        viewer: User (uid) whose jobs may be named, and from whose jobs the model learns; None: all
            users.

    Raises:
        UsageError: There are too few names, or no such kind or mount.
        JobError: There is no such job or program, or nothing was recorded of it.
    """
    if len(names) < 2:
        raise UsageError(
            "A prediction needs at least two loads.",
            hint="Name jobs, programs or kinds of loads: `jostle predict A B`. A may equal B.",
        )
    from jostle.analysis.kinds import PairModel, predict

    loads = _loads(store, names, viewer)
    samples = _met(store, viewer)
    there = _mount(mount, loads, samples)
    found = predict([(each.name, each.kind) for each in loads], there, PairModel(samples))
    return replace(found, limits=(*_notes(loads), *found.limits))


def capacity_of(
    store: Repository, name: str, *, mount: str | None = None, viewer: int | None = None
) -> Capacity:
    """Return how many jobs of one kind may run at once before each loses more than a tenth.

    Args:
        store: The repository.
        name: A job, program or kind, as for `prediction_of`.
        mount: Mount of the prediction, as for `prediction_of`.
        viewer: User (uid), as for `prediction_of`.

    Raises:
        UsageError: There is no such kind or mount.
        JobError: There is no such job or program, or nothing was recorded of it.
    """
    from jostle.analysis.kinds import PairModel, capacity

    loads = _loads(store, [name], viewer)
    samples = _met(store, viewer)
    there = _mount(mount, loads, samples)
    found = capacity(name, loads[0].kind, there, PairModel(samples))
    return replace(found, limits=(*_notes(loads), *found.limits))


def _notes(loads: Sequence[_Load]) -> list[str]:
    return list(dict.fromkeys(each.note for each in loads if each.note))


def _loads(store: Repository, names: Sequence[str], viewer: int | None) -> list[_Load]:
    """Find the kind, program, or else job that each name stands for."""
    from jostle.analysis.kinds import kinds_of, parse_kind
    from jostle.analysis.kinds.model import is_kind

    rows = _jobs(store, viewer)
    runs: dict[str, list[str]] = {}
    for name in names:
        if not is_kind(name):
            mine = [str(row["job"]) for row in rows if row["program"] == name][:_RUNS]
            runs[name] = mine or [store.resolve_job(name, owner=viewer)]
    wanted = sorted({job for jobs in runs.values() for job in jobs})
    kinds = kinds_of(store.load_tables(wanted)) if wanted else {}
    return [
        _of_runs(name, [kinds[job] for job in runs[name] if job in kinds])
        if name in runs
        else _Load(name, parse_kind(name))
        for name in names
    ]


def _of_runs(name: str, kinds: list[LoadKind]) -> _Load:
    """Return the most frequent kind of a program's runs, with the numbers of the fastest run."""
    if not kinds:
        raise JobError(
            f"The data recorded of {name} do not show its kind of load.",
            hint="Name a different job, or a kind of load such as `aggregate-write:1MiB:x4`.",
        )
    labels = Counter(kind.label for kind in kinds)
    label, _ = labels.most_common(1)[0]
    alike = [kind for kind in kinds if kind.label == label]
    best = max(alike, key=lambda kind: (kind.bytes_per_s, kind.metadata_per_s))
    note = ""
    if len(labels) > 1:
        note = (
            f"Runs of {name} have {len(labels)} kinds of load; the most frequent is used: {label}. "
            "Name a job to use another."
        )
    return _Load(name, best, note)


def _jobs(store: Repository, viewer: int | None) -> list[dict[str, Any]]:
    """Return the ended jobs that a viewer may see, the newest first."""
    rows = store.jobs().select(["job", "program", "uid", "running", "start_ns"]).to_pylist()
    return [row for row in rows if not row["running"] and viewer in (None, row["uid"])]


def _met(store: Repository, viewer: int | None) -> list[PairSample]:
    """Return the pairs of loads that ran concurrently in the newest jobs, for the model."""
    from jostle.analysis.kinds import kinds_of, pairs_met

    rows = _jobs(store, viewer)[:_NEWEST]
    if len(rows) < 2:
        return []
    begin = min(int(row["start_ns"]) for row in rows)
    kinds = kinds_of(store.load_tables([str(row["job"]) for row in rows]))
    return pairs_met(store.programs_alongside((begin, 2**63 - 1)), kinds, as_user=viewer)


def _mount(asked: str | None, loads: Sequence[_Load], samples: Sequence[PairSample]) -> str:
    """Return the mount of a prediction; "" if none is known."""
    used = Counter(each.kind.mount for each in loads if each.kind.mount)
    met = Counter(sample.mount for sample in samples)
    if asked is not None:
        known = sorted({*used, *met})
        if asked not in known:
            raise UsageError(
                f"No known load used a mount `{asked}`.",
                hint=f"Mounts: {', '.join(known) or 'none'}.",
            )
        return asked
    for counted in (used, met):
        if counted:
            return counted.most_common(1)[0][0]
    return ""
