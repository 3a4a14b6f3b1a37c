"""Partners, collectives and communicators in the repository: stored once, kept, and dropped."""

from __future__ import annotations

from collections import Counter

from support import key_of, make_profile, newer

from jostle.reader import COLLECTIVE_VALUES, PEER_VALUES
from jostle.repository import Repository
from jostle.repository.store.layout import HOUR_NS
from synth import Profile
from synth_traffic import members_record, random_traffic

TABLES = ("peer_slices", "collective_slices", "communicators")


def rank(number: int, *, ended: bool = True, records: int = 6, **header: object) -> Profile:
    """A rank with records and a rest that its records do not hold."""
    mpi = {"mpi_state": 2, "world": "abc", "world_size": 200, "world_rank": number}
    profile = make_profile(number, ended=ended, mpi=mpi, **header)
    profile.traffic, made = random_traffic(number, profile.first_slice, records)
    profile.records += made
    return profile


def sums(store: Repository) -> tuple[Counter[object], Counter[object]]:
    """Traffic of each rank with each partner, and in each collective."""
    peers: Counter[object] = Counter()
    for row in store.query("SELECT * FROM peer_slices").to_pylist():
        peers.update(
            {
                (row["process"], row["rank"], row["peer"], name): row[name] or 0
                for name in PEER_VALUES
            }
        )
    collectives: Counter[object] = Counter()
    for row in store.query("SELECT * FROM collective_slices").to_pylist():
        key = (row["process"], row["communicator"], row["operation"], row["root"])
        collectives.update({(*key, name): row[name] or 0 for name in COLLECTIVE_VALUES})
    return +peers, +collectives


def expected(profiles: list[Profile]) -> tuple[Counter[object], Counter[object]]:
    peers: Counter[object] = Counter()
    collectives: Counter[object] = Counter()
    for number, profile in enumerate(profiles):
        assert profile.traffic is not None
        for row in profile.traffic.peers:
            peers.update(
                {(key_of(profile), number, row["peer"], name): row[name] for name in PEER_VALUES}
            )
        for row in profile.traffic.collectives:
            key = (key_of(profile), row["communicator"], row["operation"], row["root"])
            collectives.update({(*key, name): row[name] for name in COLLECTIVE_VALUES})
    return +peers, +collectives


def test_each_slice_once_while_ranks_run_and_when_they_have_ended(store, spool):
    profiles = [rank(number, records=8) for number in range(3)]
    for records in (2, 5, 8):
        for number, profile in enumerate(profiles):
            early = make_profile(number, ended=False, mpi=profile.mpi, heartbeat_ns=2**62)
            early.traffic = profile.traffic
            early.records = profile.records[: len(early.records) + 2 + records]
            early.write(spool)
        store.ingest([spool])
    running = sums(store)
    assert running[0] and all(n <= expected(profiles)[0][key] for key, n in running[0].items())
    for profile in profiles:
        profile.write(spool)
    for _ in range(2):
        store.ingest([spool])
        assert sums(store) == expected(profiles)
    rows = store.query("SELECT DISTINCT job, host, slice_ns, rank FROM peer_slices ORDER BY rank")
    assert [(row["host"], row["rank"]) for row in rows.to_pylist()] == [
        (f"node{number % 3}", number) for number in range(3)
    ]


def test_a_large_communicator_is_listed_by_its_first_member(store, spool):
    for number in range(2):
        profile = rank(number)
        profile.records.append(members_record(33, range(100)))
        profile.write(spool)
    store.ingest([spool])
    rows = store.query("SELECT * FROM communicators ORDER BY communicator, process").to_pylist()
    assert [(row["communicator"], row["size"]) for row in rows] == [
        (7, 3),
        (7, 3),
        (9, 99),
        (9, 99),
        (33, 100),
        (33, 100),
    ]
    assert [row["ranks"] for row in rows[:4]] == [[3, 5, 4], [3, 5, 4], None, None]
    assert sorted(len(row["ranks"] or []) for row in rows[4:]) == [0, 100]


def test_compaction_and_fixing_keep_them_and_expiry_does_not(store, spool, tmp_path):
    profiles = [rank(number) for number in range(3)]
    for profile in profiles:
        profile.write(spool)
        store.ingest([spool])
    members = store.query("SELECT * FROM communicators ORDER BY ALL").to_pylist()
    store.compact()
    fresh = Repository(store.path)
    assert sums(fresh) == expected(profiles)
    assert fresh.query("SELECT * FROM communicators ORDER BY ALL").to_pylist() == members
    for table in TABLES:
        assert fresh.export(table, "csv", tmp_path / f"{table}.csv", job="alpha").rows
    for file in (store.path / "commits").glob("*.json"):
        file.write_bytes(b"")
    fixed = Repository(store.path)
    fixed.repair()
    assert sums(fixed) == expected(profiles)
    assert fixed.query("SELECT * FROM communicators ORDER BY ALL").to_pylist() == members
    newer(fixed)
    fixed.expire(3600)
    for table in TABLES:
        assert fixed.query(f"SELECT * FROM {table}").num_rows == 0


def test_slices_that_cannot_be_true_are_refused(store, spool):
    profile = rank(0)
    assert profile.traffic is not None
    far = 2**40 * HOUR_NS // profile.slice_ns
    profile.records.append(profile.traffic.add(far, 1, {0: (1, (1, 0, 0, 0, 0))}))
    profile.write(spool)
    report = store.ingest([spool])
    assert report.warnings
    assert store.query("SELECT * FROM peer_slices").num_rows == 0
