"""Reading running jobs: clocks that are ahead; loads of mounts at one path."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pytest
from live_maker import EPOCH_NS, MOUNT, SLICE_NS, reader, together

from jostle.report.models import now as module
from jostle.report.models.now import Now
from jostle.repository.query.live import LiveRows

SECOND = 1_000_000_000


@dataclass
class Clock:
    """The time, which a test sets."""

    ns: int = EPOCH_NS

    def time_ns(self) -> int:
        return self.ns

    def monotonic(self) -> float:
        return (self.ns - EPOCH_NS) / 1e9 + 100


class Store:
    """A repository with all ended slices, by the clock of the node that wrote them."""

    def __init__(self, clock: Clock, rows: LiveRows, ahead: str, ahead_ns: int) -> None:
        self._clock, self._rows, self._ahead, self._ahead_ns = clock, rows, ahead, ahead_ns

    def commits(self) -> int:
        return self._clock.ns

    def query(self, *_: object) -> pa.Table:
        row = {"jobs": [2], "start_ns": [EPOCH_NS], "slice_ns": [SLICE_NS], "path": ["/local"]}
        return pa.table(row)

    def live_rows(self, span: tuple[int, int]) -> LiveRows:
        mounts = tuple(
            row
            for row in self._rows.mounts
            if span[0] <= row.start_ns < span[1]
            and row.start_ns + SLICE_NS
            <= self._clock.ns + (self._ahead_ns if row.job == self._ahead else 0)
        )
        newest = max((row.start_ns + SLICE_NS for row in mounts), default=0)
        return LiveRows(self._rows.jobs, mounts, (), newest)


@pytest.mark.parametrize("ahead_s", [0, 60, 600])
def test_a_node_whose_clock_is_ahead_hides_no_others(
    monkeypatch: pytest.MonkeyPatch, ahead_s: int
) -> None:
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    right, wrong = reader("right-1", np.zeros(40)), reader("wrong-1", np.zeros(40))
    wrong = [replace(row, start_ns=row.start_ns + ahead_s * SECOND) for row in wrong]
    now = Now(Store(clock, together([*right, *wrong]), "wrong-1", ahead_s * SECOND))  # type: ignore[arg-type]
    for at in range(2, 40):
        clock.ns = EPOCH_NS + at * SLICE_NS
        now.refresh()
    state = now._stream.jobs["right-1"]
    assert state.run_s == pytest.approx(38 * 4.0), "each slice was evaluated"
    assert state.seen_ns == clock.ns - SLICE_NS
    loads = now.load_on(MOUNT)
    assert loads is not None and loads["right-1"] > 0, "what others wait for is seen"


def test_loads_of_a_job_on_disks_at_one_path_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(EPOCH_NS + 20 * SLICE_NS)
    monkeypatch.setattr(module, "time", clock)
    disks = [f"node{n}:/dev/sda" for n in (1, 2)]
    rows = [
        replace(row, mount=disk)
        for disk, ops in zip(disks, (1000.0, 10.0), strict=True)
        for row in reader("job-1", np.zeros(20), ops)
    ]
    now = Now(Store(clock, together(rows), "", 0))  # type: ignore[arg-type]
    now.refresh()
    alone = [now.load_on(disk) or {} for disk in disks]
    assert now.load_on("/local/tmp") == {"job-1": alone[0]["job-1"] + alone[1]["job-1"]}
    assert alone[0]["job-1"] > 50 * alone[1]["job-1"] > 0
