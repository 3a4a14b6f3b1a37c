"""Advises to use a different file system or storage target on which the run lost less time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.analysis.advise.model import Recommendation, added
from jostle.analysis.identification.model import JobInterference
from jostle.analysis.identification.resources.slow_targets import SlowTarget
from jostle.analysis.interval import Interval
from jostle.repository.query.resources.co_running import CoRunning
from jostle.values.arrow_columns import floats
from jostle.values.storage_servers import mount_of

_FEWEST_SLICES = 12
#: Largest factor between mean sizes of requests that can be compared.
_ALIKE = 4.0
#: Largest time per byte on the other one, over that on the first one without others.
_AS_FAST = 1.1


@dataclass(frozen=True)
class _Seen:
    """How fast a run's requests on a mount were when other jobs did not slow them.

    Attributes:
        per_byte: Time in calls per byte, in ns.
        request: Mean bytes per request.
    """

    per_byte: float
    request: float


def another_mount(alongside: CoRunning, interference: JobInterference) -> Iterator[Recommendation]:
    """Yield the advice to use a file system on which the run lost no time, and was as fast.

    Args:
        alongside: The job and its neighbours; only `own_mounts` is read.
        interference: Result of `identify` for the job.
    """
    lost: dict[str, list[Interval]] = {}
    for resource in interference.resources:
        mount = resource.mount or mount_of(resource.resource)
        if resource.evident and resource.seconds.value > 0:
            lost.setdefault(mount, []).append(resource.seconds)
    seen = {mount: each for mount in _mounts(alongside) if (each := _seen(alongside, mount))}
    for mount in sorted(lost.keys() & seen.keys()):
        here = seen[mount]
        better = {
            other: each
            for other, each in seen.items()
            if other not in lost
            and each.per_byte <= _AS_FAST * here.per_byte
            and 1 / _ALIKE <= each.request / here.request <= _ALIKE
        }
        if better:
            other = min(better, key=lambda name: (better[name].per_byte, name))
            yield _advice(mount, other, added(lost[mount]))


def _mounts(alongside: CoRunning) -> list[str]:
    rows = alongside.own_mounts
    return sorted({mount for mount in rows["mount"].to_pylist() if mount}) if rows.num_rows else []


def _seen(alongside: CoRunning, mount: str) -> _Seen | None:
    rows: pa.Table = alongside.own_mounts.filter(pc.equal(alongside.own_mounts["mount"], mount))
    moved, spent, ops = (
        sum(
            (
                floats(rows, f"{kind}_{way}_{what}")
                for kind in ("posix", "stdio")
                for way in ("read", "write")
            ),
            np.zeros(rows.num_rows),
        )
        for what in ("bytes", "ns", "ops")
    )
    on = (moved > 0) & (spent > 0) & (ops > 0)
    if int(on.sum()) < _FEWEST_SLICES:
        return None
    # Others only make it slower; in a quarter of the slices there was little or no load of others.
    per_byte = float(np.quantile(spent[on] / moved[on], 0.25))
    return _Seen(per_byte, float(moved[on].sum() / ops[on].sum()))


def _advice(mount: str, other: str, lost: Interval) -> Recommendation:
    return Recommendation(
        rule="another file system",
        seen=(
            f"others slowed its requests on {mount}; on {other} it was as fast per byte, and lost "
            "nothing"
        ),
        lever=f"store the files that it has on {mount} on {other} instead",
        texts=(),
        saving=lost,
        saving_words=f"what it lost on {mount}, if nobody disturbs it on {other}",
        pays="you: files have to be copied there; its users get one more neighbour",
        unless=f"{other} has no room for them, or does not store files permanently",
    )


def another_target(slow: Sequence[SlowTarget]) -> Iterator[Recommendation]:
    """Yield the advice to move files from storage targets that are slower than others.

    Args:
        slow: The slow targets, found from the files of this job alone.
    """
    for target in slow:
        done = {"read": "reading", "write": "writing"}[target.way]
        yield Recommendation(
            rule="another target",
            seen=(
                f"{done} a byte of its files on storage target {target.target} of {target.mount} "
                f"took {target.factor:.2g} times as long as on others ({target.low:.2g} to "
                f"{target.high:.2g})"
            ),
            lever=f"move its files from storage target {target.target} to others",
            texts=(
                f"lfs find --ost {target.target} DIRECTORY   # the files that are on it",
                "lfs migrate -c 1 FILE                      # move one of them",
            ),
            saving=None,
            saving_words="not predicted: how many of its calls wait for this target is not known",
            pays="nobody, apart from the copy itself",
            unless="the target is being rebuilt, because it will soon be as fast as the others",
        )
