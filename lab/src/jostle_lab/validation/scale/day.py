"""Simulates a day of a site: jostle collects data, users view its pages, and faults occur."""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from jostle.repository import Repository
from jostle_lab.validation.scale.faults import KINDS, schedule
from jostle_lab.validation.scale.services import (
    Pages,
    ReceiverService,
    Shipper,
    Sleepers,
    jostle,
    require_boot_ids,
    write_tokens,
)
from jostle_lab.validation.scale.spools import SLICE_NS, SimulatedSite
from jostle_lab.validation.scale.truth import Comparison, compare
from jostle_lab.validation.scale.viewers import Viewers
from jostle_lab.validation.scale.watch import Watch

RECEIVERS = 2
_STEP_SLICES = 15  # a minute
_BEHIND_SLICES = 50
_HOUR_NS = 3600 * 10**9
_BEFORE_HOUR_NS = 10 * 60 * 10**9
_KEEP_S = 6 * 3600.0


@dataclass(frozen=True)
class DaySpec:
    """The parameters of a simulated day.

    Attributes:
        nodes: Number of nodes; each has a shipper of its own.
        processes: Number of processes on each node.
        minutes: Length of the simulated time, minutes.
        speed: Simulated seconds per real second.
        viewers: Number of simulated users that request pages meanwhile.
        seed: Seed of jobs and programs.
        settle_s: Longest wait at the end until all data has arrived, in real seconds.
    """

    nodes: int = 100
    processes: int = 12
    minutes: int = 1440
    speed: float = 100.0
    viewers: int = 4
    seed: int = 1
    settle_s: float = 300.0

    @property
    def slices_per_s(self) -> float:
        """Number of process-slices (slices of one process) that are written per real second."""
        return self.nodes * self.processes * self.speed * 1e9 / SLICE_NS


@dataclass
class DayResult:
    """The results of a simulated day.

    Attributes:
        happened: Time (in real seconds) and kind of each fault.
        figures: Numerical results by name.
        samples: Time series by name.
        pages: Latency of each kind of page: time (s) and latency (ms) of each request.
        errors: Descriptions of failed page requests and Spark queries.
    """

    spec: DaySpec
    truth: Comparison
    happened: list[tuple[float, str]]
    figures: dict[str, float]
    samples: dict[str, list[float]]
    pages: dict[str, list[tuple[float, float]]]
    errors: list[str] = field(default_factory=list)

    def to_json(self) -> str:
        """Return the result as JSON."""
        return json.dumps(asdict(self), indent=1)


def simulate_day(
    spec: DaySpec, folder: Path, say: Callable[[str], None] = lambda _: None
) -> DayResult:
    """Simulate a day.

    Args:
        spec: Parameters of the day.
        folder: Path of an empty folder for spools, mirrors, repository and logs.
        say: Function that is called with messages about the progress.

    Raises:
        ValidationError: This machine does not allow a process to have a boot ID of its own.
    """
    require_boot_ids(folder)
    day = _Day(spec, folder, say)
    try:
        day.run()
        return day.result()
    finally:
        day.end()


class _Day:
    def __init__(self, spec: DaySpec, folder: Path, say: Callable[[str], None]) -> None:
        self._spec, self._folder, self._say = spec, folder, say
        self._sleepers = Sleepers(spec.processes)
        # Ten minutes before a full hour, so that a short time, too, has an hour that can expire.
        start_ns = time.time_ns() - spec.minutes * 60 * 10**9
        start_ns = start_ns // _HOUR_NS * _HOUR_NS - _BEFORE_HOUR_NS
        self._site = SimulatedSite(
            folder / "spools", spec.nodes, start_ns // SLICE_NS, self._sleepers.ids, spec.seed
        )
        write_tokens(folder, self._site.nodes)
        self._repository = folder / "repository"
        Repository(self._repository, create=True)
        self._receivers = [
            ReceiverService(folder, number, self._repository, 900.0)
            for number in range(1, RECEIVERS + 1)
        ]
        self._shippers: list[Shipper] = []
        self._pages = Pages(folder, self._repository)
        self._viewers = Viewers(self._pages.address, self._pages.token, spec.viewers, 0.5)
        self._watch = Watch(folder, self._receivers, self._pages, self._site)
        self._chance = random.Random(spec.seed)
        self._upkeep: list[subprocess.Popen[bytes]] = []
        self._spark_asked: list[subprocess.Popen[bytes]] = []
        self._happened: list[tuple[float, str]] = []
        self._begin = 0.0
        self._behind_s = self._settled_s = 0.0

    def run(self) -> None:
        """Simulate the day with its faults; then wait until all data is in the repository."""
        spec, site = self._spec, self._site
        self._shippers = [
            Shipper(node, self._receivers[number % RECEIVERS].url, 60 / spec.speed)
            for number, node in enumerate(site.nodes)
        ]
        faults = schedule(spec.minutes, has_spark=find_spec("pyspark") is not None)
        self._begin = time.monotonic()
        self._watch.begin()
        for minute in range(spec.minutes):
            while faults and faults[0].minute <= minute:
                self._happen(faults.pop(0).kind)
            site.advance(_STEP_SLICES)
            due = self._begin + (minute + 1) * 60 / spec.speed
            left = due - time.monotonic()
            self._behind_s = max(self._behind_s, -left)
            time.sleep(max(left, 0))
        for fault in faults:
            self._happen(fault.kind)
        site.end()
        self._settle()

    def _happen(self, kind: str) -> None:
        self._happened.append((time.monotonic() - self._begin, kind))
        minutes = (self._site.now_ns // 10**9 // 60) % 1440
        self._say(f"{minutes // 60:02d}:{minutes % 60:02d}  {KINDS[kind]}")
        getattr(self, "_" + kind.replace(" ", "_"))()

    # Faults, by the names of KINDS.

    def _clock(self) -> None:
        for node in self._site.nodes[1::20]:
            node.behind = _BEHIND_SLICES

    def _clock_set(self) -> None:
        for node in self._site.nodes[1::20]:
            node.set_clock()

    def _node_down(self) -> None:
        for node, shipper in zip(self._site.nodes[2::10], self._shippers[2::10], strict=True):
            shipper.kill()
            node.fail()

    def _node_up(self) -> None:
        for node, shipper in zip(self._site.nodes[2::10], self._shippers[2::10], strict=True):
            node.boot()
            shipper.start()

    def _receiver_down(self) -> None:
        self._receivers[0].kill()

    def _receiver_up(self) -> None:
        self._receivers[0].start()

    def _all_down(self) -> None:
        for receiver in self._receivers:
            receiver.kill()

    def _all_up(self) -> None:
        for receiver in self._receivers:
            receiver.start()

    def _ingester_killed(self) -> None:
        if pid := self._receivers[1].ingester():
            subprocess.run(["kill", "-9", str(pid)], check=False)

    def _shippers_killed(self) -> None:
        for shipper in self._shippers[3::5]:
            shipper.kill()
            shipper.start()

    def _compact(self) -> None:
        self._keep("compact")

    def _expire(self) -> None:
        # Ages count from now, and simulated time is earlier. Of a short time half is kept.
        kept_s = min(_KEEP_S, self._spec.minutes * 30.0)
        age = (time.time_ns() - self._site.now_ns) // 10**9 + kept_s
        self._keep("expire", "--older-than", f"{round(age)}s")

    def _spark(self) -> None:
        self._spark_asked.append(self._start("matrix", "--engine", "local[2]"))

    def _keep(self, *words: str) -> None:
        self._upkeep = [process for process in self._upkeep if process.poll() is None]
        self._upkeep.append(self._start("repository", *words))

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        with (self._folder / "upkeep.log").open("ab") as log:
            command = jostle(*words, "--repository", self._repository, "--json")
            return subprocess.Popen(command, stdout=log, stderr=log)

    def _compaction_killed(self) -> None:
        self._keep("compact")
        # It takes about a second to start.
        time.sleep(self._chance.uniform(0.8, 1.5))
        self._upkeep[-1].kill()

    def _settle(self) -> None:
        """Wait until all data has passed from spools and receivers into the repository."""
        begin = time.monotonic()
        while self._left():
            if time.monotonic() - begin > self._spec.settle_s:
                self._say(
                    f"not all data has arrived after {self._spec.settle_s:.0f} s: {self._left()}"
                )
                break
            time.sleep(0.25)
        self._settled_s = time.monotonic() - begin
        for process in [*self._upkeep, *self._spark_asked]:
            process.wait(120)

    def _left(self) -> str:
        """Return a description of the data that has not arrived yet; "" if all has."""
        files = sum(node.waiting() for node in self._site.nodes)
        if files:
            return f"{files} files are in the spools"
        for receiver in self._receivers:
            lag = receiver.metrics().get("jostle_receive_lag_seconds", -1.0)
            held = sum(1 for _ in receiver.mirror.glob("*/*/*.jst"))
            if lag or held:
                return f"{receiver.name} lags by {lag:.1f} s and has {held} profiles"
        return ""

    def result(self) -> DayResult:
        """End the viewers and the services, check the repository, and return the results."""
        self._watch.end()
        self._viewers.end()
        end = time.monotonic()
        for receiver in self._receivers:
            receiver.end()
        store = Repository(self._repository)
        truth = compare(store, self._site.truths)
        store.compact()
        kept = [file for files in store.snapshot().files.values() for file in files]
        rows = sum(file.rows for file in kept if file.table == "slices")
        store.close()
        errors = self._viewers.errors[:20]
        errors += [
            f"spark: status {process.returncode}"
            for process in self._spark_asked
            if process.returncode
        ]
        pages = {
            kind: [
                (at - self._begin, 1e3 * took)
                for at, took in zip(asked.at, asked.took_s, strict=True)
            ]
            for kind, asked in self._viewers.asked.items()
        }
        figures: dict[str, float] = {
            "seconds": end - self._begin,
            "most_behind_s": self._behind_s,
            "settled_s": self._settled_s,
            "slices_per_s": self._spec.slices_per_s,
            "files": len(kept),
            "bytes": sum(file.bytes for file in kept),
            "bytes_per_slice": sum(file.bytes for file in kept) / max(rows, 1),
            **self._watch.figures(truth.slices + truth.arrived),
            **{
                f"{kind}_{name}_ms": value
                for kind, took in pages.items()
                for name, value in _latency([ms for _, ms in took]).items()
            },
        }
        return DayResult(
            self._spec, truth, self._happened, figures, dict(self._watch.samples), pages, errors
        )

    def end(self) -> None:
        """End every process."""
        self._watch.end()
        for process in [*self._upkeep, *self._spark_asked]:
            process.kill()
            process.wait()
        for shipper in self._shippers:
            shipper.kill()
        for receiver in self._receivers:
            receiver.end()
        self._pages.end()
        self._sleepers.end()


def _latency(took_ms: Sequence[float]) -> dict[str, float]:
    ordered = sorted(took_ms)
    return {
        "p50": ordered[len(ordered) // 2],
        "p95": ordered[min(int(len(ordered) * 0.95), len(ordered) - 1)],
    }


def table(result: DayResult) -> list[str]:
    """Return the result as lines of text."""
    truth, figures = result.truth, result.figures
    rows: list[tuple[str, Any]] = [
        ("processes written", truth.processes),
        ("process-slices written", truth.slices),
        ("lost", truth.lost),
        ("doubled", truth.doubled),
        ("lost with their node", f"{truth.unsure}, of which {truth.arrived} had been sent"),
        *((name.replace("_", " "), f"{value:,.4g}") for name, value in figures.items()),
    ]
    return [f"{name:38} {value}" for name, value in rows] + truth.wrong + result.errors
