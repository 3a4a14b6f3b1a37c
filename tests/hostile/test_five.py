"""Five users act hostile at once, in one spool: the honest job of each has its usual results."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from support import make_profile, make_shorts
from test_values import NAMES, VALUES
from users import U1, U2, U3, U4, U5, Put

from jostle.repository import Repository
from jostle.repository.store.layout import TABLES
from synth import Profile
from synth_random import flip

USERS = (U1, U2, U3, U4, U5)


def honest(user: int) -> Profile:
    """A user's honest job, on a node and on mounts that all may use."""
    return make_profile(user % 100, f"true{user}", slices=12, pid=user, proc_start=user)


def rows_of(store: Repository, user: int) -> dict[str, list[dict[str, Any]]]:
    """All that a repository holds of a user's honest job."""
    (job,) = (
        row["job"]
        for row in store.jobs().to_pylist()
        if row["uid"] == user and row["job"].startswith(f"true{user}")
    )
    found = {}
    for table, layout in TABLES.items():
        if table == "tokens" or "job" not in layout.keys:
            continue
        rows = store.query(f"SELECT * FROM {table} WHERE job = ? ORDER BY ALL", [job]).to_pylist()
        found[table] = [{k: v for k, v in row.items() if k != "revision"} for row in rows]
    return found


def hostile(put: Put, spool: Path, user: int) -> None:
    """All hostile files of one user."""
    victim = USERS[(USERS.index(user) + 1) % len(USERS)]
    twin = honest(victim)
    less = make_profile(victim % 100, twin.job, slices=2, pid=victim, proc_start=victim)
    put(less, user, f"a{user}.jst")
    put(twin, user, f"{twin.job}.{twin.pid}.1.jst")  # next to what the victim left
    put(honest(victim), user, f"{twin.job}.{twin.pid}.1.jsp")
    put(make_profile(7, twin.job, uid=victim, host="node0"), user, f"uid{user}.jst")
    put(make_shorts(twin.job, 4, uid=victim), user)
    for number, name in enumerate(NAMES.values()):
        put(make_profile(number, name, slices=2, ppid=user), user, f"n{user}-{number}.jst")
    for number, what in enumerate(VALUES):
        put(VALUES[what](), user, f"v{user}-{number}.jst")
    poison = Profile(job="poison", host="node1", pid=user + 1000)
    poison.add_mount(0, "/scratch", "nfs4", "server:/scratch", (0, 50))
    poison.add_slice(poison.first_slice, {"posix_write_bytes": {0: 2**62}, "os_user_ns": 2**62})
    put(poison, user, f"p{user}.jst")
    whole = make_profile(3, "torn", slices=30).encode()
    for number in range(20):
        path = spool / f"torn{user}-{number}.jst"
        path.write_bytes(flip(whole, [(number * 7919 + user) % (8 * len(whole))]))
        os.chown(path, user, user)
    (spool / f"empty{user}.jst").touch()
    (spool / f"link{user}.jst").symlink_to(spool / twin.name)
    os.mkfifo(spool / f"pipe{user}.jst")
    (spool / f"folder{user}.jst").mkdir()
    os.link(spool / twin.name, spool / f"zz-link{user}.jst")


@pytest.mark.in_turn
def test_each_ones_honest_job_is_as_it_would_be_alone(
    store: Repository, spool: Path, put: Put, tmp_path: Path
) -> None:
    alone = {}
    for user in USERS:
        path = put(honest(user), user)
        one = Repository(tmp_path / str(user), create=True)
        one.ingest([path])
        alone[user] = rows_of(one, user)
    for user in USERS:
        hostile(put, spool, user)
    for _ in range(3):  # as one that follows does
        report = store.ingest([spool], remove=True)
    assert not [one for one in report.warnings if "is skipped" in one]
    for user in USERS:
        assert rows_of(store, user) == alone[user]
    assert store.check().damaged == []
    assert len(alone[U1]["slices"]) == 13
