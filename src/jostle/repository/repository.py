"""Class `Repository`, the public interface of the repository of all recorded jobs."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from jostle.reader import find_profiles
from jostle.repository.errors import DamagedError
from jostle.repository.ingest.clearing import clear_spool, not_taken
from jostle.repository.ingest.follow import follow
from jostle.repository.ingest.ingest import Ingester, Progress
from jostle.repository.ingest.spool import names_job
from jostle.repository.maintenance.coarsen import coarsen
from jostle.repository.maintenance.compact import compact, end_silent, expire
from jostle.repository.maintenance.repair import CheckReport, RepairReport, check, repair
from jostle.repository.query.engine import ALWAYS
from jostle.repository.questions import Questions
from jostle.repository.store import log as _log
from jostle.repository.store.layout import COMMITS, TABLES
from jostle.repository.store.marker import create as create_repository
from jostle.repository.store.marker import open_marker
from jostle.repository.store.snapshot import Snapshot, SnapshotLog
from jostle.repository.store.storage import open_storage
from jostle.repository.store.studies import StudyStore, study_names
from jostle.repository.types import CoarsenReport, CompactReport, ExpireReport, IngestReport


class Repository(Questions):
    """A repository on disk; cheap to open, and safe to open several times concurrently.

    Threads may share an object; several processes may ingest, compact and query at the same time.
    """

    def __init__(self, path: Path | str, *, create: bool = False) -> None:
        """Open a repository.

        Args:
            path: Folder of the repository, or s3://BUCKET/PREFIX.
            create: Whether to create the repository if there is none.

        Raises:
            RepositoryError: There is no repository, the folder has other content, or the repository
                is damaged.
        """
        storage = open_storage(path)
        #: `path`: the repository's folder, or (object store) the folder of its local copies.
        #: `name`: the repository's folder or address, for messages.
        self.path, self.name = storage.root, storage.name
        if create:
            create_repository(self.path)
        open_marker(self.path)
        super().__init__(self.path, _log.Log(self.path))

    @classmethod
    def at(cls, snapshot: Snapshot) -> Repository:
        """Open a repository to query the files of a snapshot, while others continue writing.

        A query that needs a file that has been removed raises SnapshotGoneError.
        """
        repository = cls(snapshot.name)
        repository._ask(SnapshotLog(snapshot))
        return repository

    def snapshot(
        self, tables: Collection[str] = tuple(TABLES), span: tuple[int, int] = ALWAYS
    ) -> Snapshot:
        """Return those files of some tables, as of the newest commit, that overlap a span (ns)."""
        return self._engine.snapshot(tables, span)

    @staticmethod
    @contextlib.contextmanager
    def of_spool(paths: Path | Sequence[Path], *, job: str | None = None) -> Iterator[Repository]:
        """Read spools into a temporary repository, which is removed at the end of the block.

        Args:
            paths: A spool folder, or folders and profiles.
            job: Name of the only job to read, which is much faster; None: all jobs are read.

        Yields:
            The repository; `newest(job)` is the job's name in it.

        Raises:
            ProfileError: A folder cannot be read.
        """
        dirs = [paths] if isinstance(paths, Path) else list(paths)
        files = [path for path in find_profiles(dirs) if job is None or names_job(path, job)]
        with tempfile.TemporaryDirectory(prefix="jostle-") as folder:
            repository = Repository(Path(folder) / "repository", create=True)
            repository.ingest(files)
            yield repository

    def close(self) -> None:
        """Release the query engine; no query may be running."""
        self._engine.close()

    # Writing

    def ingest(
        self, paths: Sequence[Path], *, progress: Progress | None = None, remove: bool = False
    ) -> IngestReport:
        """Ingest new data from spools, each slice exactly once.

        Args:
            paths: Spool folders or single profiles.
            progress: Function that is called from time to time.
            remove: Whether to remove profiles that are finished and completely in the repository.

        Raises:
            RepositoryError: A spool cannot be read, or the repository cannot be written.
        """
        ingester = Ingester(self.path, remove=remove)
        report = ingester.run(paths, progress)
        if ingester.large:
            ingester.merge()
        if ingester.present is not None:
            end_silent(self.path, ingester.present)
        return report

    def not_taken(self, paths: Sequence[Path]) -> list[tuple[Path, str]]:
        """Return the profiles in spools that are not completely in the repository, with their jobs.

        Args:
            paths: Spool folders or single profiles; those that cannot be read are ignored.
        """
        self._engine.refresh()
        return not_taken(paths, self._log.state)

    def clear_spool(self, folder: Path) -> None:
        """Remove the profiles of a spool that the repository has completely; the others stay.

        Args:
            folder: The spool folder.
        """
        self._engine.refresh()
        clear_spool(folder, self._log.state)

    def follow(
        self,
        paths: Sequence[Path],
        *,
        stop: Callable[[], bool],
        on_change: Callable[[IngestReport], None] | None = None,
        remove: bool = False,
        files: Callable[[], Sequence[Path]] | None = None,
        pause: Callable[[float, int], None] | None = None,
    ) -> IngestReport:
        """Ingest repeatedly; a slice appears at most two slice lengths after its end.

        Args:
            paths: Spool folders; they may not exist yet.
            stop: Function that is called at least every half second; `follow` returns when its
                result is true.
            on_change: Function that is called with the report of a pass that published new rows.
            remove: Whether to remove profiles, as for `ingest`.
            files: Function that returns the profiles to ingest in each pass; None: all in the
                folders.
            pause: Function that waits for the next pass. It is called after each pass with two
                arguments: how long the pass took (s), and the number of files with more data.
                None: the pause depends on the length of the slices.

        Returns:
            The reports of all passes, added up.
        """
        return follow(
            self.path,
            paths,
            stop=stop,
            on_change=on_change,
            remove=remove,
            files=files,
            pause=pause,
        )

    def compact(self) -> CompactReport:
        """Merge small files and remove stray ones; readers and ingesters may continue."""
        return compact(self.path)

    def check(self, progress: Callable[[int, int], None] | None = None) -> CheckReport:
        """Read every file, and report damaged ones.

        Args:
            progress: Function that is called with the number of files read, and of all files.
        """
        return check(self.path, progress)

    def repair(self, progress: Callable[[int, int], None] | None = None) -> RepairReport:
        """Make a damaged repository consistent; see `maintenance.repair`."""
        return repair(self.path, progress)

    def damage(self) -> list[str]:
        """Return one sentence for each damaged file of the log; its other files can be read."""
        self._engine.refresh()
        return [f"{COMMITS}/{name} is damaged: {why}." for name, why in self._log.damage.items()]

    def on_damage(self, report: Callable[[DamagedError], None]) -> None:
        """Report each damaged file that a query finds and leaves out.

        Args:
            report: Function that is called once per file.
        """
        self._engine.on_damage = report

    def left_out(self) -> dict[str, DamagedError]:
        """Return the damaged files that queries leave out now, by their paths."""
        return self._engine.left_out()

    def require_whole(self, job: str) -> None:
        """Refuse an answer about a job if rows from the time of its run are missing.

        Raises:
            DamagedError: Queries leave out a damaged file with rows from that time.
        """
        lost = [damaged for damaged in self.left_out().values() if damaged.span != ALWAYS]
        for row in self.jobs([job]).to_pylist() if lost else []:
            for damaged in lost:
                if damaged.span[0] < row["end_ns"] and damaged.span[1] > row["start_ns"]:
                    raise damaged

    def expire(self, older_than_s: float) -> ExpireReport:
        """Remove files of which all slices are older than an age.

        Args:
            older_than_s: The age in seconds.
        """
        return expire(self.path, older_than_s)

    def coarsen(self, older_than_s: float, length_ns: int) -> CoarsenReport:
        """Replace the slices of old days by longer slices with their sums.

        Args:
            older_than_s: Age in seconds from which on slices are replaced.
            length_ns: Length of the longer slices, ns; an hour must be a multiple of it.

        Raises:
            RepositoryError: The length or the age cannot be used.
        """
        return coarsen(self.path, older_than_s, length_ns)

    # Studies

    def studies(self) -> list[str]:
        """List the studies in the repository, by name."""
        return study_names(self.path)

    def study(self, name: str) -> StudyStore:
        """Return the folder of a study, which may not exist yet.

        Raises:
            RepositoryError: The name is not valid for a study.
        """
        return StudyStore(self.path, name)
