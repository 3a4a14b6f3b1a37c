"""Samples jostle's services during a simulated day: their lag, memory, files and requests."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from jostle.errors import JostleError
from jostle.repository import Repository
from jostle_lab.validation.scale.services import Pages, ReceiverService, cpu_s, memory_mib, size_of
from jostle_lab.validation.scale.spools import SLICE_NS, SimulatedSite

_EVERY_S = 1.0
_COUNTED = {
    "posts": "jostle_receive_posts_total",
    "sent_bytes": "jostle_receive_sent_bytes_total",
    "decoded_bytes": "jostle_receive_decoded_bytes_total",
}


class Watch:
    """A thread that takes samples.

    Attributes:
        samples: Time series by name; `at` is the time since the beginning in seconds, `minute` the
            simulated minute.
    """

    def __init__(
        self, folder: Path, receivers: Sequence[ReceiverService], pages: Pages, site: SimulatedSite
    ) -> None:
        """Prepare; nothing is sampled yet."""
        self._folder, self._receivers, self._pages = folder, receivers, pages
        self._site, self._start_ns = site, site.now_ns
        self._repository = Repository(folder / "repository")
        self.samples: dict[str, list[float]] = defaultdict(list)
        #: The last metrics of each start of a receiver.
        self._counts: dict[tuple[str, int, str], float] = {}
        self._cpu: dict[tuple[str, int], float] = {}
        self._first_cpu: dict[int, float] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._begin = 0.0

    def begin(self) -> None:
        """Start sampling."""
        self._begin = time.monotonic()
        self._thread.start()

    def end(self) -> None:
        """End sampling; may be called again."""
        self._over.set()
        if self._begin:
            self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(_EVERY_S):
            self._sample()

    def _sample(self) -> None:
        now, lag = time.monotonic() - self._begin, 0.0
        for receiver in self._receivers:
            counted = receiver.metrics()
            lag = max(lag, counted.get("jostle_receive_lag_seconds", 0.0))
            for name, metric in _COUNTED.items():
                if metric in counted:
                    self._counts[receiver.name, receiver.starts, name] = counted[metric]
            self._counts[receiver.name, receiver.starts, "refused"] = sum(
                value
                for name, value in counted.items()
                if name.startswith("jostle_receive_refused_total")
            )
            pids = {"receiver": receiver.pid, "ingester": receiver.ingester()}
            for name, pid in pids.items():
                self._count_cpu(name, pid)
        self._count_cpu("pages", self._pages.pid)
        repository, mirrors = self._folder / "repository", [r.mirror for r in self._receivers]
        sizes = [size_of(mirror) for mirror in mirrors]
        files, size = size_of(repository)
        log_files, log_bytes = size_of(repository / "commits")
        sample = {
            "at": now,
            "minute": (self._site.now_ns - self._start_ns) / 60e9,
            "lag_s": lag,
            "behind_minutes": self._behind_minutes(),
            "receivers_mib": max(memory_mib(r.pid) for r in self._receivers),
            "ingesters_mib": max(memory_mib(r.ingester()) for r in self._receivers),
            "pages_mib": memory_mib(self._pages.pid),
            "mirror_files": sum(n for n, _ in sizes),
            "mirror_bytes": sum(n for _, n in sizes),
            "files": files - log_files,
            "bytes": size - log_bytes,
            "log_files": log_files,
            "log_bytes": log_bytes,
            **{name: self._total(name) for name in (*_COUNTED, "refused")},
        }
        for name, value in sample.items():
            self.samples[name].append(float(value))

    def _count_cpu(self, name: str, pid: int) -> None:
        """Record the CPU time of a process since its first sample, so without its start-up."""
        if pid and (used := cpu_s(pid)):
            first = self._first_cpu.setdefault(pid, used)
            self._cpu[name, pid] = used - first

    def _total(self, name: str) -> float:
        return sum(value for (_, _, each), value in self._counts.items() if each == name)

    def _behind_minutes(self) -> float:
        """Return the age of the newest slice that can be queried, in simulated minutes."""
        now = self._site.slice
        try:
            found = self._repository.query(
                f"SELECT max(slice) AS last FROM rollup WHERE slice > {now - 1800}"
            )
        except JostleError:
            return 120.0
        last = found["last"][0].as_py()
        return 120.0 if last is None else float((now - 1 - last) * SLICE_NS / 60e9)

    def figures(self, slices: int) -> dict[str, float]:
        """Return the last or the largest sample of each series, and the CPU time of each service.

        Args:
            slices: Number of process-slices that were added to the repository.
        """
        samples = self.samples
        if not samples["at"]:
            return {}
        cpu = {
            name: sum(value for (each, _), value in self._cpu.items() if each == name)
            for name in ("receiver", "ingester", "pages")
        }
        last = {
            name: samples[name][-1]
            for name in (
                "posts",
                "refused",
                "sent_bytes",
                "decoded_bytes",
                "log_files",
                "log_bytes",
            )
        }
        most = {
            f"most_{name}": max(samples[name])
            for name in (
                "lag_s",
                "behind_minutes",
                "receivers_mib",
                "ingesters_mib",
                "pages_mib",
                "mirror_files",
                "mirror_bytes",
                "log_files",
            )
        }
        return {
            **last,
            **most,
            **{f"{name}_cpu_s": value for name, value in cpu.items()},
            "ingester_us_per_slice": 1e6 * cpu["ingester"] / max(slices, 1),
            "receiver_us_per_post": 1e6 * cpu["receiver"] / max(last["posts"], 1),
        }
