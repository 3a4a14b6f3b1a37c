"""Measures the cost of an ingester's pass (one scan of its profiles) per profile and per slice."""

from __future__ import annotations

import itertools
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from jostle.repository import Repository
from jostle.repository.writing import Ingester
from jostle_lab.validation.errors import ValidationError
from jostle_lab.validation.scale.services import apart
from jostle_lab.validation.scale.spools import SLICE_NS, SimulatedSite

_PER_NODE = 48
_PASSES = 4


@dataclass(frozen=True)
class PassCost:
    """The cost of one kind of pass.

    Attributes:
        profiles: Number of profiles that have grown.
        slices: Number of slices by which each of these profiles has grown.
        cpu_s: CPU time of a pass.
        bytes: Bytes written by a pass.
        compact_s: CPU time of the compaction after five passes.
    """

    profiles: int
    slices: int
    cpu_s: float
    bytes: float
    compact_s: float

    @property
    def compact_us(self) -> float:
        """CPU time of compaction, µs per process-slice."""
        return 1e6 * self.compact_s / (self.profiles * self.slices * (_PASSES + 1))


@dataclass(frozen=True)
class PassModel:
    """A linear model of the CPU time of a pass, fitted to all kinds of passes.

    Attributes:
        pass_s: CPU time of any pass, in seconds.
        profile_us: Additional CPU time for each profile that has grown, µs.
        slice_us: Additional CPU time for each process-slice, µs.
    """

    pass_s: float
    profile_us: float
    slice_us: float

    def cores(self, nodes: int, processes: int, every_s: float) -> float:
        """Return the number of cores that the ingesters of a site need.

        Args:
            nodes: Number of nodes of the site.
            processes: Number of processes on each node.
            every_s: Seconds between two passes over the same profile, equal to the seconds between
                two POST requests of its node.
        """
        profiles = nodes * processes
        slices = profiles * every_s * 1e9 / SLICE_NS
        return (profiles * self.profile_us + slices * self.slice_us) / 1e6 / every_s


def measure_passes(profiles: Sequence[int], slices: Sequence[int], folder: Path) -> list[PassCost]:
    """Measure passes for each combination of a number of profiles and of new slices in each.

    Args:
        profiles: Numbers of profiles that have grown, with 48 on each node.
        slices: Numbers of slices by which each profile has grown since the last pass.
        folder: Path of an empty folder.
    """
    return [
        apart(_measure, number, grown, folder / f"passes-{number}-{grown}")
        for number, grown in itertools.product(profiles, slices)
    ]


def _measure(profiles: int, slices: int, folder: Path) -> PassCost:
    sleepers = [(number + 1, 0) for number in range(min(_PER_NODE, profiles))]
    nodes = max(1, profiles // _PER_NODE)
    # From now on: profiles whose last slice was long ago would count as ended.
    start = time.time_ns() // SLICE_NS
    site = SimulatedSite(folder / "spools", nodes, start, sleepers, seed=1)
    spools = [node.spool for node in site.nodes]
    store = Repository(folder / "repository", create=True)
    ingester = Ingester(store.path)
    site.advance(slices)
    ingester.turn(spools)  # the first one also reads the headers
    used, written = [], []
    for _ in range(_PASSES):
        site.advance(slices)
        before = time.process_time()
        report = ingester.turn(spools)
        used.append(time.process_time() - before)
        if report.slices != len(sleepers) * nodes * slices:
            raise ValidationError(f"{report.slices} slices were ingested in a pass")
        written.append(report.bytes_written)
    before = time.process_time()
    store.compact()
    compact_s = time.process_time() - before
    store.close()
    shutil.rmtree(folder)
    cpu_s, size = float(np.median(used)), float(np.median(written))
    return PassCost(len(sleepers) * nodes, slices, cpu_s, size, compact_s)


def model_of(costs: Sequence[PassCost]) -> PassModel:
    """Fit the linear model by least squares of the relative errors."""
    terms = np.array([[1.0, cost.profiles, cost.profiles * cost.slices] for cost in costs])
    used = np.array([cost.cpu_s for cost in costs])
    whole, profile, each = np.linalg.lstsq(terms / used[:, None], np.ones(len(used)), rcond=None)[0]
    return PassModel(float(whole), 1e6 * float(profile), 1e6 * float(each))


def passes_table(costs: Sequence[PassCost]) -> list[str]:
    """Return the costs as lines of a table."""
    model = model_of(costs)
    lines = [
        "profiles  slices each   CPU of a pass, ms   µs per process-slice   bytes per slice   "
        "compaction, µs per slice"
    ]
    for cost in costs:
        rows = cost.profiles * cost.slices
        lines.append(
            f"{cost.profiles:8} {cost.slices:12} {1e3 * cost.cpu_s:19.1f} "
            f"{1e6 * cost.cpu_s / rows:22.2f} {cost.bytes / rows:17.1f} {cost.compact_us:26.2f}"
        )
    lines.append(
        f"a pass: {1e3 * model.pass_s:.1f} ms, {model.profile_us:.0f} µs for each profile, "
        f"{model.slice_us:.2f} µs for each process-slice"
    )
    return lines
