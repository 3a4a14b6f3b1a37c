"""Computed studies on a link: fair shares to the last byte, so that the truth is known."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from jostle_lab.analysis.study.evaluate import evaluate
from jostle_lab.analysis.study.model import Cell, StudyResult
from jostle_lab.analysis.study.pairs import JobProgress
from jostle_lab.analysis.study.published_laws import laws

SLICE_NS = 250_000_000
START = 1_700_000_016 * 1_000_000_000  # a multiple of all periods


@dataclass(frozen=True)
class Writer:
    """A program of the study: it writes its volume, as fast as the link lets it."""

    name: str
    pattern: str = "aggregate-write"
    processes: int = 4
    nodes: tuple[str, ...] = ("node1",)
    volume: float = 200e6
    chunk: int | None = 1 << 20
    limit: float = 1e12  # B/s of one process, by itself
    weight: float = 1.0  # of one process, in the competition
    period_s: float = 0.0
    duty: float = 0.5
    shared: bool = False
    until_stopped: bool = False


@dataclass
class Link:
    """A link of so many B/s, shared fairly by "process" or by "node"."""

    rate: float = 50e6
    by: str = "process"
    protocol: float = 1.04
    noise: float = 0.0
    generator: np.random.Generator = field(default_factory=lambda: np.random.default_rng(1))

    def run(self, writers: Sequence[Writer], start_ns: int) -> tuple[list[np.ndarray], list[int]]:
        """Starts writers at once; gives bytes per process and slice, and when each ended.

        Rates are constant between two events: a process is done, a burst begins or ends.
        """
        budget = self.rate * (1 + self.noise * float(self.generator.standard_normal()))
        sizes = np.cumsum([0, *(one.processes for one in writers)])
        whole = np.concatenate(
            [
                np.full(one.processes, np.inf if one.until_stopped else one.volume / one.processes)
                for one in writers
            ]
        )
        moved, now = np.zeros(len(whole)), start_ns / 1e9
        times, states, ended = [now], [moved], np.full(len(whole), np.nan)
        while np.isnan(ended[np.isfinite(whole)]).any():
            rates = self._rates(writers, np.isnan(ended), now, budget)
            until = min((_next_edge(one, now) for one in writers), default=np.inf)
            rest = np.where(rates > 0, (whole - moved) / np.where(rates > 0, rates, 1), np.inf)
            step = min(until - now, float(rest.min()))
            now, moved = now + step, moved + rates * step
            done = (rest <= step * (1 + 1e-9)) & np.isnan(ended)
            moved, ended = np.where(done, whole, moved), np.where(done, now, ended)
            times.append(now)
            states.append(moved)
        edges = np.arange(start_ns // SLICE_NS, int(now * 1e9) // SLICE_NS + 2) * SLICE_NS / 1e9
        each = np.array([np.diff(np.interp(edges, times, row)) for row in np.array(states).T])
        ends = [
            int(
                np.nanmax(np.append(ended[lo:hi], now if np.isnan(ended[lo:hi]).all() else 0)) * 1e9
            )
            for lo, hi in itertools.pairwise(sizes)
        ]
        return [each[lo:hi] for lo, hi in itertools.pairwise(sizes)], ends

    def _rates(
        self, writers: Sequence[Writer], busy: np.ndarray, now: float, budget: float
    ) -> np.ndarray:
        """Water-filling: fair shares, and what one cannot take goes to the others."""
        weight = (
            np.concatenate([np.full(one.processes, one.weight * _on(one, now)) for one in writers])
            * busy
        )
        if self.by == "node":
            # A program spreads over its nodes evenly; none here shares a node with another.
            parts = np.split(weight, np.cumsum([one.processes for one in writers])[:-1])
            shares = [
                part / max(part.sum(), 1e-9) * len(one.nodes)
                for part, one in zip(parts, writers, strict=True)
            ]
            weight = np.concatenate(shares)
        limit = np.concatenate([np.full(one.processes, one.limit) for one in writers])
        rates = np.zeros(len(weight))
        while True:
            open_ = np.where(rates < limit * (1 - 1e-9), weight, 0)
            spare = budget - rates.sum()
            if open_.sum() <= 0 or spare <= 1:
                return rates
            rates = np.minimum(rates + spare * open_ / open_.sum(), limit)


def _on(one: Writer, now: float) -> bool:
    # A hair later: an edge belongs to what begins there.
    into = (now + 1e-6) % one.period_s if one.period_s else 0.0
    return not one.period_s or into < one.duty * one.period_s


def _next_edge(one: Writer, now: float) -> float:
    if not one.period_s:
        return np.inf
    begin = (now + 1e-6) // one.period_s * one.period_s
    middle = begin + one.duty * one.period_s
    return middle if now + 1e-6 < middle else begin + one.period_s


@dataclass
class Lab:
    """Runs on the link, recorded as a study records them."""

    link: Link = field(default_factory=Link)
    records: list[dict[str, Any]] = field(default_factory=list)
    seen: dict[tuple[str, str], JobProgress] = field(default_factory=dict)
    clock: int = START

    def alone(self, writer: Writer, repetition: int = 1, **more: Any) -> dict[str, Any]:
        """Records a standalone run."""
        return self._record("alone", [replace(writer, until_stopped=False)], repetition, more)

    def pair(self, one: Writer, other: Writer, repetition: int = 1, **more: Any) -> dict[str, Any]:
        """Records a run of two."""
        return self._record("pair", [one, other], repetition, more)

    def _record(
        self, kind: str, writers: Sequence[Writer], repetition: int, more: dict[str, Any]
    ) -> dict[str, Any]:
        run = f"r{repetition:02d}-p{len(self.records):03d}"
        moved, ends = self.link.run(writers, self.clock)
        programs = []
        for place, (one, values, end) in enumerate(zip(writers, moved, ends, strict=True)):
            job = f"study.{run}.{one.name}{'-2' if place else ''}"
            first = self.clock // SLICE_NS
            self.seen[job, "bytes"] = JobProgress(job, SLICE_NS, first, values)
            role = (
                "both"
                if not any(each.until_stopped for each in writers)
                else ("signal" if one.until_stopped else "probe")
            )
            programs.append(self._program(one, job, role if kind == "pair" else "alone", end))
        own = sum(float(values.sum()) for values in moved)
        server = own * self.link.protocol + more.pop("foreign", 0.0)
        record = {
            "run": run,
            "study": "study",
            "kind": kind,
            "repetition": repetition,
            "cell": {
                "chunk": writers[0].chunk,
                "processes": [one.processes for one in writers],
                "shared": writers[0].shared,
                "periodic": any(one.period_s for one in writers),
            },
            "programs": programs,
            "begin_ns": self.clock,
            "end_ns": max(ends),
            "slice_ns": SLICE_NS,
            "place": "lab",
            "resource": None,
            "interrupted": False,
            "server": "storage.in",
            "own": [],
            "monitor": [
                {"time_ns": self.clock, "storage.in": 10_000.0},
                {"time_ns": max(ends), "storage.in": 10_000.0 + server},
            ],
        }
        record.update(more)
        self.records.append(record)
        self.clock = (max(ends) // (24 * 10**9) + 2) * 24 * 10**9
        return record

    def _program(self, one: Writer, job: str, role: str, end: int) -> dict[str, Any]:
        return {
            "name": one.name,
            "job": job,
            "role": role,
            "processes": one.processes,
            "nodes": list(one.nodes),
            "mpi": None,
            "pattern": one.pattern,
            "chunk": one.chunk,
            "volume": None if one.until_stopped else one.volume,
            "progress": "bytes",
            "status": 0,
            "error": None,
            "begin_ns": self.clock,
            "end_ns": end,
            "shared": one.shared,
            "period_s": one.period_s or None,
            "duty": one.duty,
            "stop": "partner" if one.until_stopped else "own",
            "baseline": f"{one.name} {one.chunk} {one.processes} {one.shared} {one.period_s}",
        }

    def source(self, job: str, metric: str) -> JobProgress | None:
        """Gives progress, as `evaluate` asks for it."""
        return self.seen.get((job, metric))


AW = Writer("aw", nodes=("node1",))
WS = Writer("ws", "write-seek", nodes=("node2",))


def lab(**link: object) -> Lab:
    return Lab(Link(**link))  # type: ignore[arg-type]


def result_of(made: Lab, **more: object) -> StudyResult:
    found = evaluate(made.records, made.source, **more)  # type: ignore[arg-type]
    json.dumps(found.to_json(), allow_nan=False)
    for law in laws(found):
        json.dumps(law.to_json(), allow_nan=False)
    return found


def cell_of(found: StudyResult, probe: str, signal: str, **setting: object) -> Cell:
    cells = [
        cell
        for cell in found.cells
        if (cell.probe, cell.signal) == (probe, signal)
        and all(getattr(cell.setting, name) == value for name, value in setting.items())
    ]
    assert len(cells) == 1
    return cells[0]


def equal_writers(noise: float = 0.0, repetitions: int = 5) -> Lab:
    made = lab(noise=noise)
    for repetition in range(1, repetitions + 1):
        made.alone(AW, repetition)
        made.alone(WS, repetition)
        made.pair(AW, replace(AW, nodes=("node2",)), repetition)
        made.pair(AW, WS, repetition)
        made.pair(WS, replace(WS, nodes=("node1",)), repetition)
    return made
