"""Ingests profiles from spools into the repository, each slice exactly once.

One pass reads the header of every profile, decodes new data in batches (two at a time, since the
decoder and the Parquet writer both release the interpreter's lock), writes the files of a batch,
and publishes them with the new positions of its profiles in one commit. If it is killed before the
commit, nothing of the batch is in the repository; after it, all of it is.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any

from jostle.errors import JostleError
from jostle.reader import (
    Decoded,
    Origin,
    ProfileError,
    ProfileHeader,
    ReadRequest,
    ReadResult,
    ShortsHeader,
    read_machines,
    read_profiles,
)
from jostle.repository.errors import ConflictError
from jostle.repository.ingest.batch_facts import BatchFacts
from jostle.repository.ingest.batch_reads import Bookmarks, Tally, files_of, segments_of, unfinished
from jostle.repository.ingest.fair_batches import WORKERS, batches, fair, rare_collections
from jostle.repository.ingest.followed import Left
from jostle.repository.ingest.followed_pass import FollowedPass
from jostle.repository.ingest.listing import SpoolListing, list_spools
from jostle.repository.ingest.machines import MachinePlan
from jostle.repository.ingest.mirror import forget_file, once, placed_origin, report_locked
from jostle.repository.ingest.plan import Known, Plan
from jostle.repository.ingest.spool import (
    MIN_SLICE_NS,
    Devices,
    HeaderPeek,
    Mark,
    peek_header,
    superseded_profiles,
)
from jostle.repository.query.engine import Engine
from jostle.repository.segments.merge_cache import WORTH_ROWS
from jostle.repository.segments.merger import Merger
from jostle.repository.store.files import plain_errors, publish, write_chunks
from jostle.repository.store.layout import MAX_SLICE_NS, process_id
from jostle.repository.store.log import Log
from jostle.repository.store.marker import open_marker
from jostle.repository.store.owner_names import JobNames
from jostle.repository.store.profile_positions import Position
from jostle.repository.store.state import Change, RepositoryState
from jostle.repository.types import IngestProgress, IngestReport
from jostle.schema.settings import DEFAULT_SLICE_NS

Progress = Callable[[IngestProgress], None]

#: Ending of the profiles of machines.
MACHINES = ".jsm"
# Commits for the rows of one batch in a pass; longer batches continue in the next pass, so that one
# user's files do not delay those of others.
_ROUNDS = 2
_AHEAD_NS = 3_600_000_000_000
#: Since its last change: before that, a file that is no profile may be one that is being created.
_CREATED_NS = 60_000_000_000
_BATCH_ROWS = 1 << 19  # of both tables: about 400 MB at most
_ROW_BYTES = 160  # memory for merging: 9.7 GB for 64 ranks with a million segments each


def most_rows() -> int:
    """Return the most rows of segments that are merged in advance: a quarter of the memory."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4 // _ROW_BYTES


class Ingester:
    """Ingests spools into one repository; remembers between passes which files need not be read."""

    def __init__(self, root: Path, *, remove: bool = False) -> None:
        open_marker(root)
        self._root = root
        self._remove = remove
        self._log = Log(root)
        self._guard = threading.Lock()
        self._devices = Devices()
        self._settled: dict[Path, Mark] = {}
        self._aside: dict[Path, Mark] = {}  # files that cannot be ingested, with their marks
        self._taken: dict[Path, int] = {}  # bytes of a file that the repository has
        self._shorts: dict[Path, tuple[int, int]] = {}
        self._bookmarks = Bookmarks()
        self._over: set[Path] = set()
        self._written: dict[int, Known] = {}
        with plain_errors(root):
            self._home = root.stat().st_uid
        self._names = JobNames(self._home, self._named)
        self._facts = BatchFacts(root, self._log, self._guard, self._names, remove=remove)
        self._follower = FollowedPass(root, self._log, self._guard)
        self._follows = False  # whether this pass adds profiles to the followed ones
        self._segments: Counter[str] = Counter()  # by job, of ended processes
        self.shortest_slice_ns = DEFAULT_SLICE_NS
        #: Processes with a profile, by the last pass; None: not all could be checked.
        self.present: set[int] | None = None

    def run(self, paths: Sequence[Path], progress: Progress | None = None) -> IngestReport:
        """Ingest all new data in spools, until none is left.

        Args:
            paths: Spool folders and single profiles.
            progress: Function that is called after every batch.

        Raises:
            ProfileError: A folder cannot be read.
            RepositoryError: The repository cannot be read or written.
        """
        total = IngestReport()
        before = 0
        while True:
            report = self._pass(paths, progress, follow=False)
            total.add(report)
            total.profiles = max(total.profiles, report.profiles)
            total.seconds += report.seconds
            total.left = report.left
            if not report.left or not (report.commits or report.left < before or not before):
                return total
            before = report.left

    def turn(self, paths: Sequence[Path], progress: Progress | None = None) -> IngestReport:
        """Make one pass over spools, with a fair share for every user.

        Profiles that only grew are followed from one pass to the next: if a process is killed, the
        pass after the next one may be the first that shows its end. `run` shows all ends.

        Args:
            paths: Spool folders and single profiles.
            progress: Function that is called after every batch.

        Returns:
            The report; `left` is the number of files with more data.

        Raises:
            ProfileError: A folder cannot be read.
            RepositoryError: The repository cannot be read or written.
        """
        return self._pass(paths, progress, follow=True)

    def _pass(
        self, paths: Sequence[Path], progress: Progress | None, *, follow: bool
    ) -> IngestReport:
        with plain_errors(self._root), rare_collections():
            self._follows = follow
            return self._turn(paths, progress, follow=follow)

    def _turn(
        self, paths: Sequence[Path], progress: Progress | None, *, follow: bool
    ) -> IngestReport:
        begin = time.monotonic()
        report = IngestReport()
        if not follow:
            self._leave(list(self._follower.followed.places.values()))
        listing = list_spools(paths, self._follower.followed.places)
        report.profiles = listing.profiles
        report.add(self._facts.take(listing.facts))
        self._follow(listing, report)
        todo, later = fair(self._news(listing, report), self._fresh)
        ahead = self._log.state.time_ns - time.time_ns()
        if ahead > _AHEAD_NS:
            report.warnings.append(
                f"The newest commit of the repository is {ahead / 3.6e12:.1f} hours ahead of this "
                "machine's clock, so one of the two clocks is wrong."
            )
        report.left = len(later)
        skipped = report.profiles - len(todo) - len(later)
        machines = [item for item in todo if item.path.suffix == MACHINES]
        processes = [item for item in todo if item.path.suffix != MACHINES]
        profiles = [item for item in processes if item.process is not None]
        shorts = [item for item in processes if item.process is None]
        done = skipped
        for some in batches(machines, self._fresh):
            report.add(self._publish_machines(some))
            done += len(some)
        # Files of short-lived processes last: profiles have the names of their mounts.
        for group in (profiles, shorts):
            with ThreadPoolExecutor(max_workers=WORKERS) as pool:
                work = {
                    pool.submit(self._batch, items): len(items)
                    for items in batches(group, self._fresh)
                }
                try:
                    for future in as_completed(work):
                        report.add(future.result())
                        done += work[future]
                        if progress is not None:
                            progress(IngestProgress(done, report.profiles, report.slices))
                except BaseException:
                    pool.shutdown(cancel_futures=True)
                    raise
        report.seconds = time.monotonic() - begin
        return report

    def _follow(self, listing: SpoolListing, report: IngestReport) -> None:
        """Ingest the followed profiles; what else is new in them is left to the normal ingest."""
        followed = self._follower.followed
        self._leave(listing.missing(followed.places))
        self._names.learn(followed.returning(listing.followed, time.time_ns()))
        taken, whole = self._follower.run(listing.followed, _BATCH_ROWS)
        report.add(taken)
        for left in self._leave(whole):
            listing.files[left.path] = placed_origin(left.path) if left.sent else None
        if whole:
            listing.sort()

    def _leave(self, places: Sequence[int]) -> list[Left]:
        """Follow some profiles no longer, and remember where their reading stopped."""
        lefts = self._follower.followed.leave(places)
        for left in lefts:
            self._bookmarks.leave(left, self._taken)
        return lefts

    @property
    def large(self) -> dict[str, int]:
        """Return the jobs whose segments take long to merge, with their numbers of rows."""
        with self._guard:
            return {job: rows for job, rows in self._segments.items() if rows >= WORTH_ROWS}

    def merge(self) -> None:
        """Merge the segments of large jobs that have ended (see merge_cache.py)."""
        large = self.large
        merger = Merger(Engine(self._root, Log(self._root), writes=True))
        for job, rows in large.items():
            done = True  # failures are not tried again
            # RATIONALE: an error in one job's segments must not stop ingest for all others; the
            # next query for that job merges it, and reports the error. The same holds for data
            # that would fill the memory of the ingesting machine.
            with contextlib.suppress(Exception):
                done = rows > most_rows() or merger.keep(job)
            if done:
                with self._guard:
                    self._segments.pop(job, None)

    def _news(self, listing: SpoolListing, report: IngestReport) -> list[HeaderPeek]:
        """Read the headers of files, except those that have no new data."""
        paths = listing.files
        followed = self._follower.followed
        twice = superseded_profiles({**paths, **followed.with_pid_of(paths)})
        with self._guard:
            state = self._log.refresh()
            todo: list[HeaderPeek] = []
            slice_ns = [DEFAULT_SLICE_NS, *followed.slice_lengths()]
            locked: list[Path] = []
            names: dict[int, Path] = {}
            for path, origin in paths.items():
                if path in self._over:
                    continue
                if path in twice:
                    mark = twice[path]
                    if self._remove and mark is not None:
                        self._remove_file(path, mark, report)
                    continue
                try:
                    peek = self._peek(path, origin)
                except FileNotFoundError:
                    continue
                except PermissionError:
                    locked.append(path)
                    continue
                if peek.names > 1:
                    first = once(peek, names, report)
                    if first is None:
                        continue
                    peek = first
                if self._aside.get(path) == peek.mark:
                    continue
                if path.suffix == ".jsp" and not peek.final:
                    continue  # its process may still write its own
                if path.suffix == MACHINES and peek.owner not in (0, self._home):
                    self._aside[path] = peek.mark
                    report.warnings.append(
                        f"{path} is left out: profiles of machines belong to root or to the "
                        "owner of the repository, and this one does not."
                    )
                    continue
                if not peek.final and MIN_SLICE_NS <= peek.slice_ns <= MAX_SLICE_NS:
                    slice_ns.append(peek.slice_ns)
                place = followed.processes.get(peek.process or 0)
                if place is not None:  # another file has the same process: the newer one counts
                    if peek.heard_ns <= followed.files["heartbeat_ns"][place]:
                        continue
                    self._leave([place])
                is_new = peek.process is not None or self._settled.get(path) != peek.mark
                if is_new or peek.mark == (0, 0, 0):
                    todo.append(peek)
            present = {item.process for item in todo if item.process}
            self.present = None if locked else present | followed.processes_of(listing.followed)
            todo = self._without_done(todo, state, report)
            self.shortest_slice_ns = min(slice_ns)
        self._names.learn((peek.owner, peek.job, *peek.span) for peek in todo)
        report_locked(locked, todo or self._over or followed.places, report)
        return todo

    def _peek(self, path: Path, origin: Origin | None) -> HeaderPeek:
        try:
            peek = peek_header(path, origin)
        except (FileNotFoundError, PermissionError):
            raise
        except OSError:
            return HeaderPeek(path, None, 0, 0, False, 0, (0, 0, 0))  # the reader reports why
        if peek.life is None:
            return peek
        return replace(peek, process=self._names.process(peek.owner, *peek.life))

    def _without_done(
        self, peeks: Sequence[HeaderPeek], state: RepositoryState, report: IngestReport
    ) -> list[HeaderPeek]:
        """Leave out profiles that are complete in the repository, and remove them if asked to.

        Of several files of one process, only the one with the newest heartbeat is kept.
        """
        done = state.done_of([key for peek in peeks for key in self._ids(peek)])
        expired = state.expired_of(done)
        left: dict[object, HeaderPeek] = {}
        for peek in peeks:
            if done.isdisjoint(self._ids(peek)):
                first = left.setdefault(peek.process or peek.path, peek)
                if peek.heard_ns > first.heard_ns:
                    left[first.process or first.path] = peek
                continue
            if peek.is_dead or not self._remove:
                self._over.add(peek.path)
            if not expired.isdisjoint(self._ids(peek)):
                report.expired += 1  # if the horizon was a mistake, this may be the only copy
            elif self._remove and peek.is_dead:
                self._remove_file(peek.path, peek.mark, report)
        return list(left.values())

    def _ids(self, peek: HeaderPeek) -> list[int]:
        """Return the ids under which the repository may know a profile."""
        if peek.life is None or peek.process is None:
            return []
        # Ids of earlier versions did not depend on owners: all are like those of the repository's
        # owner. If a user forges such an id, only that user's own data is left out.
        old = [process_id(None, *peek.life)] if peek.owner != self._home else []
        return [peek.process, *old]

    def _fresh(self, peek: HeaderPeek) -> int:
        """Return the approximate bytes of a file that are not in the repository."""
        return max(peek.bytes - self._taken.get(peek.path, 0), 0)

    def _batch(self, items: Sequence[HeaderPeek]) -> IngestReport:
        """Ingest a batch of files; files that cannot be ingested are skipped."""
        tally = Tally()
        waiting = [list(items)]
        while waiting:
            some = waiting.pop()
            try:
                self._publish_all(some, tally)
            except (JostleError, OSError, MemoryError):  # errors of the repository or the machine
                raise
            # RATIONALE: an error that one file causes must not stop others. The file is tried
            # again when it changes.
            except Exception as error:
                if len(some) == 1:
                    tally.report.add(self._set_aside(some[0], error))
                else:
                    half = len(some) // 2
                    waiting += [some[half:], some[:half]]
        tally.report.changed = len(tally.changed)
        return tally.report

    def _publish_machines(self, items: Sequence[HeaderPeek]) -> IngestReport:
        """Ingest profiles of machines; those that cannot be ingested are skipped."""
        tally = Tally()
        waiting = [list(items)]
        while waiting:
            some = waiting.pop()
            try:
                self._publish_some_machines(some, tally)
            except (JostleError, OSError, MemoryError):
                raise
            except Exception as error:  # as in _batch
                if len(some) == 1:
                    tally.report.add(self._set_aside(some[0], error))
                else:
                    waiting += [some[len(some) // 2 :], some[: len(some) // 2]]
        tally.report.changed = len(tally.changed)
        return tally.report

    def _publish_some_machines(self, items: Sequence[HeaderPeek], tally: Tally) -> None:
        left = list(items)
        for _ in range(_ROUNDS):
            with self._guard:
                state = self._log.refresh()
                left, base = unfinished(state, left)
                horizon = state.horizon_ns
            if not left:
                return
            requests = [
                ReadRequest(item.path, number, at.records, names=item.names, origin=item.origin)
                for number, (item, at) in enumerate(zip(left, base, strict=True))
            ]
            tables = read_machines(requests, _BATCH_ROWS)
            plan = MachinePlan(tables, horizon)
            more = [
                item for number, item in enumerate(left) if plan.add(item, number, base[number])
            ]
            if plan.steps:
                files = write_chunks(self._root, plan.chunks())
                try:
                    with self._guard:
                        publish(self._root, self._log, Change("ingest", files, [], plan.advance()))
                except ConflictError:
                    continue  # plan again from the other ingester's position
                tally.report.add(IngestReport(commits=1, component_slices=plan.slices))
            tally.report.add(IngestReport(warnings=plan.warnings))
            for item, result in zip(left, tables.results, strict=True):
                self._leave_refused(item, result.error)
                if item.process in plan.advance():
                    tally.changed.add(item.path)
                self._taken[item.path] = item.bytes
                if self._remove and item.is_dead and item.process in plan.finished:
                    self._remove_file(item.path, item.mark, tally.report)
            left = more
        tally.report.left += len(left)

    def _set_aside(self, item: HeaderPeek, error: Exception) -> IngestReport:
        with self._guard:
            self._aside[item.path] = item.mark
        why = f"{type(error).__name__}: {error}"
        why = "".join(character if character.isprintable() else " " for character in why)[:300]
        return IngestReport(
            warnings=[f"{item.path} is skipped: its content cannot be ingested ({why})."]
        )

    def _leave_refused(self, item: HeaderPeek, error: ProfileError | None) -> None:
        """Read a file whose content was refused again only when its size or time has changed.

        RATIONALE: a process writes through a mapping, which on some file systems does not change
        the file's time. So this holds only for files that no process writes any more.
        """
        if error is None or not error.lasting:
            return
        created = item.life is None and item.origin is None
        if item.is_dead or (created and time.time_ns() - item.mark[2] > _CREATED_NS):
            with self._guard:
                self._aside[item.path] = item.mark

    def _publish_all(self, items: Sequence[HeaderPeek], tally: Tally) -> None:
        """Ingest files in as many commits as their rows need, up to the limit of one pass."""
        left = list(items)
        for _ in range(_ROUNDS):
            if not left:
                return
            with self._guard:
                state = self._log.refresh()
                left, base = unfinished(state, left)
                horizon = state.horizon_ns
            requests = [
                ReadRequest(
                    item.path,
                    number,
                    self._from(item, at),
                    item.remainder,
                    at.entries,
                    item.names,
                    item.origin,
                    self._bookmarks.of(item, at),
                    self._bookmarks.stream_of(item),
                )
                for number, (item, at) in enumerate(zip(left, base, strict=True))
            ]
            segments = segments_of(left, requests)
            # A process is complete with its last slice: so its segments must be complete before.
            requests = [
                request if segments.complete(request.process) else replace(request, remainder=False)
                for request in requests
            ]
            decoded = read_profiles(requests, _BATCH_ROWS)
            files = files_of(left, decoded)
            plan = Plan(self._devices, self._names, decoded, segments, files, horizon)
            left = self._publish(left, base, decoded, plan, tally)
        tally.report.left += len(left)

    def _from(self, item: HeaderPeek, at: Position) -> int:
        if item.process is not None:
            return at.records
        inode, records = self._shorts.get(item.path, (0, 0))
        return records if inode == item.mark[0] else 0

    def _publish(
        self,
        items: Sequence[HeaderPeek],
        base: Sequence[Position],
        decoded: Decoded,
        plan: Plan,
        tally: Tally,
    ) -> list[HeaderPeek]:
        """Commit decoded rows, and return the files with more data."""
        for number, item in enumerate(items):
            result = decoded.results[number]
            if isinstance(result.header, ShortsHeader):
                with self._guard:
                    plan.add_shorts(result, self._log.state.done_of)
            elif isinstance(result.header, ProfileHeader):
                plan.add_profile(item, number, result, base[number], self._written)
        more = [item for number, item in enumerate(items) if plan.has_more(number)]
        if plan.steps:
            files = write_chunks(self._root, plan.chunks())
            change = Change("ingest", add=files, advance=plan.advance())
            try:
                with self._guard:
                    publish(self._root, self._log, change)
            except ConflictError:
                return list(items)  # plan again from the other ingester's position
            tally.report.add(plan.report(files))
            with self._guard:
                self._segments.update(plan.ended)
        tally.report.add(IngestReport(warnings=plan.warnings))
        self._settle(items, decoded.results, plan, tally)
        return more

    def _settle(
        self, items: Sequence[HeaderPeek], results: Sequence[ReadResult], plan: Plan, tally: Tally
    ) -> None:
        """Remember the progress per file for the next pass; remove wholly published files."""
        self._written |= plan.written
        for process in plan.finished:
            self._written.pop(process, None)
        for item, result in zip(items, results, strict=True):
            if result.slices[1] or result.mount_slices[1] or item.process in plan.advanced:
                tally.changed.add(item.path)
            over = item.process in plan.finished
            state = plan.segments.state(result.request.process)
            self._bookmarks.keep(item, result, state, over=over)
            self._leave_refused(item, result.error)
            if result.complete or result.error is not None:
                self._taken[item.path] = item.bytes
            if item.process is None and result.error is None:
                self._shorts[item.path] = (item.mark[0], result.records_read)
                if result.complete:
                    self._settled[item.path] = item.mark
                    if self._remove and item.origin and item.origin.over:
                        self._remove_file(item.path, item.mark, tally.report)
            if item.process in plan.expired:  # not ingested, so not removed either
                self._over.add(item.path)
                tally.report.expired += 1
            dead = item.is_dead or (
                result.header and getattr(result.header, "alive", None) is False
            )
            if self._remove and dead and item.process in plan.finished:
                self._remove_file(item.path, item.mark, tally.report)
        if self._follows:
            self._follower.add(items, results, plan.running)

    def _named(self, jobs: list[str]) -> list[tuple[str, int | None, int, int]]:
        """Return name, owner, start and end of the jobs that ever had one of these names."""
        rows = Engine(self._root, Log(self._root), writes=True).query(
            "SELECT job, uid, start_ns, CASE WHEN running THEN $2 ELSE end_ns END AS end_ns "
            "FROM jobs WHERE list_contains($1, split_part(job, '@', 1))",
            [jobs, time.time_ns()],
        )
        return [
            (row["job"], row["uid"], row["start_ns"], row["end_ns"]) for row in rows.to_pylist()
        ]

    def _forget(self, path: Path) -> None:
        """Drop the data on a removed file, so that memory does not grow over days."""
        memories: tuple[dict[Path, Any], ...] = (
            self._settled,
            self._aside,
            self._taken,
            self._shorts,
        )
        for memory in memories:
            memory.pop(path, None)
        self._bookmarks.forget(path)
        self._over.discard(path)

    def _remove_file(self, path: Path, mark: Mark, report: IngestReport) -> None:
        with contextlib.suppress(OSError):
            if path.lstat().st_ino != mark[0]:  # another file has this name now
                return
            path.unlink()
            forget_file(path)
            report.removed += 1
            self._forget(path)
        if path.suffix == ".jss":  # the runtime's mark of messages already shown to the job's user
            with contextlib.suppress(OSError):
                path.with_suffix(".said").unlink()
