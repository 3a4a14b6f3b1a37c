"""Makes jobs on one node whose memory is slowed by known loads, with and without counters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from alongside_maker import SLICE_NS, START, Floats, bursts, noise, table

from jostle.repository.query.resources.co_running import (
    NODE_METRICS,
    NODE_TIMES,
    CoRunning,
    JobFacts,
)
from jostle.repository.query.resources.core_users import NO_USERS, CoreUse
from jostle.repository.query.resources.memory_traffic import NO_MEMORY_TRAFFIC

SIZE = 160
#: A probe's time in quiet memory, ns: 64 reads one after the other, 256 at once.
LATENCY, STREAM = 6400.0, 2600.0
GB = 1e9
_EVERY = (*NODE_METRICS, *(f"{n}_{w}" for n in NODE_TIMES for w in ("max", "min")))


def hog(seed: int, size: int = SIZE) -> Floats:
    """Makes a load of 0 or 1: bursts of random lengths, as of `bursts`."""
    return np.asarray(bursts(size, seed) > 0, dtype=float)


@dataclass
class Node:
    """A job of one process on node1 that computes all the time, and its neighbours there.

    Attributes:
        slower: How many times as long memory took in each slice.
        others: Name -> cores that it kept busy per slice.
        part: Of the undisturbed time, what the job waits for memory.
        unprofiled: Programs without a profile: name -> cores busy.
        waited: Seconds of each slice for which the job waited for a core.
        paced: It makes calls: 1000 per second of undisturbed work.
        misses: Name -> bytes that it moves by cache misses ("me" among them), where they are
            counted.
        traffic: Bytes that the memory controllers moved.
        probed: It has a probe of memory.
        held: Its resident memory, bytes.
        seed: Of the noise.
    """

    slower: Floats
    others: Mapping[str, Floats]
    part: float = 0.6
    unprofiled: Mapping[str, Floats] = field(default_factory=dict)
    waited: Floats | None = None
    paced: bool = True
    misses: Mapping[str, Floats] = field(default_factory=dict)
    traffic: Floats | None = None
    probed: bool = True
    held: int = 1 << 30
    seed: int = 0

    @property
    def stretched(self) -> Floats:
        """How many times as long the job's work took."""
        return 1 - self.part + self.part * self.slower

    @property
    def cpu_s(self) -> Floats:
        """Core-seconds of the job per slice."""
        size = len(self.slower)
        return 1 - (np.zeros(size) if self.waited is None else self.waited)

    @property
    def lost_s(self) -> float:
        """Seconds that slower memory cost."""
        return float((self.cpu_s * (1 - 1 / self.stretched)).sum())

    def make(self) -> CoRunning:
        """Give the tables."""
        size = len(self.slower)
        at = START + np.arange(float(size))
        moved = [
            self._rows(name, 1e9 * cores, at, {"llc_misses": self._lines(name, size)})
            for name, cores in self.others.items()
        ]
        users = [
            table(
                {
                    "job": [name] * size,
                    "kind": ["unprofiled"] * size,
                    "host": ["node1"] * size,
                    "cpus": [""] * size,
                    "uid": np.zeros(size),
                    "start_ns": at * SLICE_NS,
                    "length_ns": np.full(size, float(SLICE_NS)),
                    "cpu_ns": 1e9 * cores,
                },
                ("queue_ns", "awake", "throttled_ns"),
            )
            .select(NO_USERS.column_names)
            .cast(NO_USERS.schema)
            for name, cores in self.unprofiled.items()
        ]
        made = CoRunning(
            self._fact("me"),
            {name: self._fact(name) for name in self.others},
            table({"mount": [], "slice": np.zeros(0)}, ("slice_ns", "count")),
            self._own(at),
            table({"job": [], "mount": [], "slice": np.zeros(0)}, ("slice_ns", "count")),
            pa.concat_tables(moved) if moved else self._rows("", np.zeros(0), np.zeros(0), {}),
            table({"job": [], "slice": np.zeros(0)}, ("slice_ns", "count", "bytes", "ops", "ns")),
            core_use=CoreUse(pa.concat_tables(users) if users else NO_USERS),
        )
        if self.traffic is None:
            return made
        counted = {
            "host": ["node1"] * size,
            "slice": at,
            "slice_ns": np.full(size, float(SLICE_NS)),
            "span": np.ones(size),
            "bytes": self.traffic,
        }
        return replace(made, memory_traffic=table(counted, ()).cast(NO_MEMORY_TRAFFIC.schema))

    def _lines(self, name: str, size: int) -> Floats:
        return self.misses[name] / 64 if name in self.misses else np.zeros(size)

    def _own(self, at: Floats) -> pa.Table:
        size = len(at)
        cpu = 1e9 * self.cpu_s
        scatter = noise(size, self.seed, 0.02)
        own: dict[str, Floats | list[str]] = {
            "host": ["node1"] * size,
            "slice": at,
            "slice_ns": np.full(size, float(SLICE_NS)),
            "count": np.ones(size),
            "os_user_ns": cpu,
            "os_user_ns_max": cpu,
            "os_rss_bytes": np.full(size, float(self.held)),
            "os_runqueue_ns": 1e9 - cpu,
            "os_runqueue_ns_max": 1e9 - cpu,
        }
        work = cpu / 1e9 / (self.stretched * noise(size, self.seed + 1, 0.02))
        if self.probed:
            own["memory_probe_count"] = np.ones(size)
            own["memory_latency_ns"] = LATENCY * self.slower * scatter
            own["memory_stream_ns"] = STREAM * self.slower * noise(size, self.seed + 2, 0.03)
        if self.paced:
            own["mpi_all_to_all_ops"] = np.round(1000 * work)
        if "me" in self.misses:
            own["perf_llc_misses"] = self._lines("me", size)
            own["perf_instructions"] = np.round(2e9 * work)
        return table(own, _EVERY)

    @staticmethod
    def _rows(job: str, cpu: Floats, at: Floats, more: Mapping[str, Floats]) -> pa.Table:
        columns: dict[str, Floats | list[str]] = {
            "job": [job] * len(at),
            "host": ["node1"] * len(at),
            "slice": at,
            "slice_ns": np.full(len(at), float(SLICE_NS)),
            "count": np.ones(len(at)),
            "cpu_ns": cpu,
            "llc_misses": np.zeros(len(at)),
        }
        return table(columns | dict(more), ())

    def _fact(self, name: str) -> JobFacts:
        return JobFacts(
            name,
            f"/bin/{name}",
            1000,
            ("node1",),
            start_ns=START * SLICE_NS,
            end_ns=(START + len(self.slower)) * SLICE_NS,
            slice_ns=SLICE_NS,
            clocks=("one",),
        )
