"""Logs written of synthetic jobs agree with their profiles."""

from __future__ import annotations

from pathlib import Path

import pytest

from jostle.imports import DarshanImport
from jostle.repository import Repository
from jostle_lab.synthetic import Spec, plant
from jostle_lab.synthetic.logs_of_jobs import write_logs

SPEC = Spec(jobs=4, slices=90, length=50, processes=2)
TOTALS = ("posix_read_bytes", "posix_write_bytes", "posix_read_ops", "posix_write_ops")


def totals(store: Repository) -> dict[str, list[int]]:
    """Sums by program: the logs of a job have another name, but the same program."""
    sums = ", ".join(f"sum({name})::BIGINT AS {name}" for name in TOTALS)
    rows = store.query(
        f"SELECT program, {sums} FROM mount_slices JOIN jobs USING (job) GROUP BY ALL"
    ).to_pylist()
    return {row["program"]: [row[name] or 0 for name in TOTALS] for row in rows}


@pytest.mark.parametrize("bins", [True, False])
def test_logs_say_what_profiles_say(tmp_path: Path, bins: bool) -> None:
    profiles = Repository(plant(tmp_path / "profiles", SPEC, seed=5).path)
    assert write_logs(profiles, tmp_path / "logs", bins=bins) == 4
    store = Repository(tmp_path / "repository", create=True)
    report = DarshanImport(store, workers=1).run([tmp_path / "logs"])
    assert report.imported == 4 and not report.set_aside
    assert dict(report.basis) == {f"darshan:{'bins' if bins else 'totals'}": 4}
    assert totals(store) == totals(profiles)
    if bins:
        # Bytes lie where the profiles have them, to a bin.
        question = (
            "SELECT sum(slice * slice_ns * (posix_write_bytes_sum / 1e6)) "
            "/ sum(posix_write_bytes_sum / 1e6) AS t FROM rollup"
        )
        at = [repository.query(question)["t"][0].as_py() for repository in (store, profiles)]
        assert abs(at[0] - at[1]) < 2e9
