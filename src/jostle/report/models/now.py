"""The present losses of all running jobs, with causes and resources: the data of `jostle top`."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jostle.analysis.identification.model import OTHERS
from jostle.analysis.live.job import ResourceKey
from jostle.analysis.live.model import LiveAnswer, LiveChange, LiveSuspect, hidden
from jostle.analysis.live.stream import LiveStream
from jostle.names.users import owner_name
from jostle.report.format.values import duration

if TYPE_CHECKING:
    from jostle.repository import Repository

#: Longest past of running jobs that is read at the start, ns, and most slices of all jobs.
_BACK_NS, _BACK_SLICES = 12 * 3_600_000_000_000, 200_000
#: Length of a part of it that is read at once, ns: all at once would need too much memory.
_AT_ONCE_NS = 900_000_000_000
#: Span over which the load on a resource is averaged, ns, and its least number of slices.
_LOAD_NS, _LOAD_SLICES = 10_000_000_000, 2
#: Longest delay after its end until a slice is known: a time, ns, plus a number of slices.
_LATE_NS, _LATE_SLICES = 5_000_000_000, 3
#: Least time between two readings of new slices, s.
_LEAST_S = 0.5
_KINDS = {"file system": "file system", "node": "cores of", "messages": "messages"}


@dataclass(frozen=True)
class NowJob:
    """A running job with the texts about it.

    Attributes:
        answer: Results on the job, from `jostle.analysis.live`.
        user: Name of the job's owner; "": it belongs to several users.
        place: Resource on which the job loses most now: `file system /scratch`; "" without loss.
        why: Cause of this loss in a few words; "" without loss.
        last_change: Newest change as a sentence; "" without one.
    """

    answer: LiveAnswer
    user: str
    place: str
    why: str
    last_change: str

    def to_json(self) -> dict[str, Any]:
        """Return the job as JSON-compatible values."""
        words = {name: getattr(self, name) for name in ("user", "place", "why", "last_change")}
        return self.answer.to_json() | words


@dataclass(frozen=True)
class NowReport:
    """All running jobs that a viewer may see, those that lose most first.

    Attributes:
        newest_ns: End of the newest slice, ns since the epoch; 0: there is none.
        jobs: The jobs.
    """

    newest_ns: int
    jobs: tuple[NowJob, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-compatible values."""
        return {"newest_ns": self.newest_ns, "jobs": [job.to_json() for job in self.jobs]}


class Now:
    """Evaluation of the running jobs of a repository; threads may share an object."""

    def __init__(self, store: Repository) -> None:
        """Create the object without reading any slices.

        Args:
            store: The repository.
        """
        self._store, self._stream = store, LiveStream()
        self._guard = threading.Lock()  # of the stream
        self._reading = threading.Lock()
        self._asked = 0.0
        self._commit = -1
        self._paths: dict[str, str] = {}

    def refresh(self) -> list[tuple[str, LiveChange]]:
        """Read the new slices; return the changes found in them, each with its job.

        If another thread is reading them, nothing is done: while a repository is slow, only one
        viewer waits for it, and the others get the last answer. Before the first answer all wait.
        """
        if not self._reading.acquire(blocking=self._commit < 0):
            return []
        try:
            now = time.monotonic()
            if now - self._asked < _LEAST_S:
                return []
            commit = self._store.commits()
            if commit == self._commit:
                return []
            found = self._read()
            self._asked, self._commit = time.monotonic(), commit
            return found
        finally:
            self._reading.release()

    def report(self, users: Collection[int] | None = None) -> NowReport:
        """Return the report on the slices read so far.

        Args:
            users: Uids of the users whose jobs the viewer may see; None: all users, and the viewer
                may also see load without a profile.
        """
        with self._guard:
            answers = self._stream.answers()
            if users is not None:
                answers = [each for each in answers if each.uid in users]
                own = {each.job for each in answers}
                answers = [hidden(each, own, OTHERS) for each in answers]
            jobs = tuple(self._shown(each) for each in answers)
            return NowReport(self._stream.newest_ns, jobs)

    def load_on(self, place: str) -> Mapping[str, float] | None:
        """Return the load of each job on a node (cores) or a mount (bytes/s) at present.

        Args:
            place: Name of a node, the identity of a mount, or a path on a mount.

        Returns:
            Loads by job; None: no load was recorded there in the last minutes.
        """
        with self._guard:
            longest = max((s.facts.slice_ns for s in self._stream.jobs.values()), default=0)
            # A slice is known some time after its end: until then, it is assumed to equal the last
            # one.
            end = max(self._stream.newest_ns, time.time_ns() - _LATE_NS - _LATE_SLICES * longest)
            span = end - max(_LOAD_NS, _LOAD_SLICES * longest), end
            keys = self._keys_of(place)
            if not keys:
                return None
            loads: dict[str, float] = {}
            for key in keys:  # several, where nodes have disks of their own at one path
                for job, rate in self._stream.load_on(key, span).items():
                    loads[job] = loads.get(job, 0.0) + rate
            return loads

    def _keys_of(self, place: str) -> list[ResourceKey]:
        """Return the resources with a name, or the mounts on which a path is."""
        keys = [key for key in self._stream.resources() if key[0] != "messages"]
        named = [key for key in keys if key[1] == place]
        if named or not place.startswith("/"):
            return named
        paths = {key: self._path(key[1]) for key in keys if key[0] == "file system"}
        above = [path for path in paths.values() if f"{place}/".startswith(f"{path.rstrip('/')}/")]
        best = max(above, key=len, default=None)
        return [key for key, path in paths.items() if path == best]

    def _read(self) -> list[tuple[str, LiveChange]]:
        stream, store = self._stream, self._store
        since, until = stream.since_ns() or self._begin_ns(), time.time_ns()
        found: list[tuple[str, LiveChange]] = []
        while since <= until:
            rows = store.live_rows((since, since + _AT_ONCE_NS))
            # A node whose clock is ahead must not make others' slices look old: they would be
            # passed over, until time has come so far.
            with self._guard:
                found += stream.take(replace(rows, newest_ns=min(rows.newest_ns, until)))
            since += _AT_ONCE_NS
        return found

    def _begin_ns(self) -> int:
        """Return the instant from which running jobs are read, ns since the epoch."""
        now = time.time_ns()
        row = self._store.query(
            "SELECT count(*) AS jobs, min(start_ns) AS start_ns, min(slice_ns) AS slice_ns "
            "FROM jobs WHERE running"
        ).to_pylist()[0]
        if not row["jobs"]:
            return now + 1
        back = min(_BACK_NS, _BACK_SLICES // row["jobs"] * row["slice_ns"])
        return max(int(row["start_ns"]), now - int(back))

    def _path(self, mount: str) -> str:
        """Return the shortest path under which jobs use a mount."""
        if mount not in self._paths:
            rows = self._store.query(
                "SELECT path FROM mounts WHERE mount = ? AND path <> '' "
                "ORDER BY length(path), path LIMIT 1",
                [mount],
            ).to_pylist()
            self._paths[mount] = str(rows[0]["path"]) if rows else mount
        return self._paths[mount]

    def place(self, kind: str | None, resource: str) -> str:
        """Return a resource in words: `file system /scratch`, `cores of node1`, `messages`."""
        if kind is None:
            return ""
        name = self._path(resource) if kind == "file system" else resource
        return f"{_KINDS[kind]} {name}".strip()

    def _shown(self, answer: LiveAnswer) -> NowJob:
        place = self.place(answer.resource_kind, answer.resource)
        why = by_whom(answer.suspects) or (answer.because or "")
        change = answer.changes[-1] if answer.changes else None
        said = ""
        if change is not None:
            said = change_words(change, self.place(change.resource_kind, change.resource))
        user = "" if answer.uid is None else owner_name(answer.uid)
        return NowJob(answer, user, place, why, said)


def by_whom(suspects: Collection[LiveSuspect]) -> str:
    """List suspects in a few words: `bully-1 (80 %), steady-2`."""
    names = [f"{each.job} ({100 * each.confidence:.0f} %)" for each in list(suspects)[:2]]
    more = len(suspects) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


def change_words(change: LiveChange, place: str) -> str:
    """Return a change as a sentence.

    Args:
        change: The change.
        place: Resource of the change in words.
    """
    on = f" on {place}" if change.resource_kind == "file system" else ""
    if change.resource_kind == "node" and change.what != "iteration":
        on = f" on {change.resource}"
    what = {"iteration": "iterations", "waiting for cores": "computing, with the wait for cores,"}
    subject = what.get(change.what, f"{change.what} calls{on}")
    if change.kind == "over":
        return f"{subject} take as long as before again"
    much = f"{abs(change.percent):.0f} % {'longer' if change.percent > 0 else 'shorter'}"
    why = ""
    if change.because == "other jobs":
        why = f": since then {by_whom(change.suspects)}"
        why += f" on {place}" if change.what == "iteration" and place != "messages" else ""
    elif change.because in ("own change of phase", "nobody known"):
        own = "the job does something else"
        why = f": {own if change.because == 'own change of phase' else 'no known load rose'}"
    late = duration(change.found_ns - change.at_ns)
    return f"{subject} take {much} (seen after {late}){why}"


def loss_facts(job: NowJob, change: LiveChange | None) -> dict[str, str]:
    """Return the environment variables by which a command learns of a job's loss.

    Args:
        job: The job, with its texts.
        change: Newest change of the job; None: there is none.
    """
    answer = job.answer
    facts = {
        "JOSTLE_LOSS_JOB": answer.job,
        "JOSTLE_LOSS_NOW_PERCENT": f"{answer.now_percent:.1f}",
        "JOSTLE_LOSS_SECONDS": f"{answer.lost_s:.1f}",
        "JOSTLE_LOSS_RUN_SECONDS": f"{answer.run_s:.1f}",
        "JOSTLE_LOSS_ON": job.place,
    }
    suspects = answer.suspects
    if change is not None:
        suspects = change.suspects
        facts["JOSTLE_LOSS_CHANGE_PERCENT"] = f"{change.percent:.0f}"
        facts["JOSTLE_LOSS_WHAT"] = change.what
        facts["JOSTLE_LOSS_BECAUSE"] = change.because
        facts["JOSTLE_LOSS_SINCE_NS"] = str(change.at_ns)
    facts["JOSTLE_LOSS_SUSPECT"] = suspects[0].job if suspects else ""
    facts["JOSTLE_LOSS_CONFIDENCE"] = f"{suspects[0].confidence:.2f}" if suspects else ""
    return facts
