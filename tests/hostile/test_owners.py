"""The owner of a profile is the owner of its file, whatever the profile says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import make_profile, make_shorts
from users import U1, U2, U3, Put

from jostle.repository import Repository


def jobs(store: Repository) -> dict[str, int]:
    """The jobs and their owners."""
    return {row["job"]: row["uid"] for row in store.jobs().to_pylist()}


def test_a_changed_uid_changes_nothing(store: Repository, spool: Path, put: Put) -> None:
    put(make_profile(1, "alpha", uid=U2), U1)  # u1 says that it is u2's
    put(make_shorts("brief", 2, uid=U2), U1)
    store.ingest([spool])
    assert jobs(store) == {f"alpha@uid{U1}": U1, f"brief@uid{U1}": U1}


def test_a_name_used_by_two_is_two_jobs(store: Repository, spool: Path, put: Put) -> None:
    put(make_profile(1, "u2-secret"), U1, "a.jst")
    put(make_profile(2, "u2-secret"), U2, "b.jst")
    put(make_profile(3, "u2-secret"), 0, "c.jst")
    store.ingest([spool])
    assert jobs(store) == {"u2-secret": 0, f"u2-secret@uid{U1}": U1, f"u2-secret@uid{U2}": U2}
    # Who looks for it by the name that he gave it finds his own.
    assert store.resolve_job("u2-secret", owner=U2) == f"u2-secret@uid{U2}"


@pytest.mark.parametrize("ended", [True, False])
def test_a_twin_neither_shadows_nor_deletes(
    store: Repository, spool: Path, put: Put, ended: bool
) -> None:
    """u1 puts in place a file of u2's process: the same boot, pid, start and part."""
    true = put(make_profile(5, "alpha", slices=12), U2, "z.jst")
    twin = make_profile(5, "alpha", slices=2, ended=ended)
    put(twin, U1, "a.jst")
    report = store.ingest([spool], remove=True)
    assert not report.warnings
    assert not true.exists()  # it is held, whole
    held = store.query("SELECT job, count(*) AS rows FROM slices GROUP BY job").to_pylist()
    rows = {row["job"]: row["rows"] for row in held}
    assert rows[f"alpha@uid{U2}"] == 12 + 1
    assert rows[f"alpha@uid{U1}"] == 2 + ended


def test_a_twin_that_came_first_deletes_nothing(store: Repository, spool: Path, put: Put) -> None:
    put(make_profile(5, "alpha", slices=2), U1, "a.jst")
    store.ingest([spool], remove=True)
    true = put(make_profile(5, "alpha", slices=12), U2, "b.jst")
    store.ingest([spool], remove=True)
    assert not true.exists()
    found = store.query(
        "SELECT count(*) AS rows FROM slices WHERE job = ?", [f"alpha@uid{U2}"]
    ).to_pylist()
    assert found == [{"rows": 13}]


def test_a_kept_profile_makes_none_of_anothers_superfluous(
    store: Repository, spool: Path, put: Put
) -> None:
    """A heartbeat's file of a child goes where the child left its own: if both are one's."""
    child = make_profile(5, "alpha", proc_start=99)
    kept = put(child, U2, "alpha.1005.1.jsp")
    put(make_profile(5, "alpha", proc_start=99, slices=1), U1, "alpha.1005.2.jst")
    store.ingest([spool])
    assert {f"alpha@uid{U1}": U1, f"alpha@uid{U2}": U2} == jobs(store)
    assert kept.exists()


def test_links_are_set_aside(store: Repository, spool: Path, put: Put, tmp_path: Path) -> None:
    """Where the kernel lets anybody link any file, u1 brings u2's into the spool once more."""
    true = put(make_profile(5, "alpha"), U2, "b.jst")
    os.link(true, spool / "a.jst")
    report = store.ingest([spool], remove=True)
    assert jobs(store) == {f"alpha@uid{U2}": U2}  # once, and nobody can hold it up so
    (said,) = report.warnings
    assert said.startswith(f"{true} is another name of")
    # And from a place of his into the spool, what u2 keeps elsewhere.
    kept = put(make_profile(6, "kept"), U2).rename(tmp_path / "kept.jst")
    os.link(kept, spool / "c.jst")
    report = store.ingest([spool], remove=True)
    assert jobs(store) == {f"alpha@uid{U2}": U2}
    assert "other names elsewhere (hard links, 2 in all)" in report.warnings[0]
    assert (spool / "c.jst").exists()


def test_what_one_says_of_devices_counts_for_him(store: Repository, spool: Path, put: Put) -> None:
    """u1 says that device 0:50 is his scratch; a short process of u2 knows only its number."""
    poison = make_profile(1, "poison", host="node0")
    put(poison, U1)
    put(make_shorts("brief", 2), U2)
    store.ingest([spool])
    found = store.query("SELECT DISTINCT mount FROM mounts WHERE job = ?", [f"brief@uid{U2}"])
    assert found.to_pylist() == [{"mount": "node0:device-0:50"}]
    # Root's word counts for all, one's own for oneself.
    put(make_profile(2, "daemon", host="node0", pid=7), 0)
    put(make_shorts("later", 2, host="node0"), U3)
    store.ingest([spool])
    found = store.query("SELECT DISTINCT mount FROM mounts WHERE job = ?", [f"later@uid{U3}"])
    assert found.to_pylist() == [{"mount": "nfs:server:/scratch"}]


def test_what_was_held_before_owners_counted_is_not_taken_again(
    store: Repository, spool: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jostle.repository.store import owner_names as names

    put(make_profile(5, "alpha"), U2)
    with monkeypatch.context() as older:
        older.setattr(
            names.JobNames, "process", lambda self, owner, *life: names.process_id(None, *life)
        )
        store.ingest([spool])
    before = store.commits()
    store.ingest([spool])
    assert store.commits() == before
