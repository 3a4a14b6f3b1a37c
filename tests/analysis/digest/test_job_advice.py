"""Advice of a digest for jobs without MPI: each rule at its threshold, and on a whole job."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jostle.analysis import digest
from jostle.analysis.digest.job_advice import JOB_RULES, advise_job, job_features
from jostle.analysis.digest.model import AccessShape, Share
from jostle.analysis.spread import Spread
from jostle.repository import Repository
from synth import EPOCH, SECOND, Profile


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    """The digest of a job without anything to report."""
    folder = tmp_path_factory.mktemp("calm")
    (folder / "spool").mkdir()
    profile = Profile(job="calm", program="/bin/calm", end_ns=EPOCH + 10 * SECOND)
    profile.add_slice(profile.first_slice, {"os_user_ns": SECOND})
    profile.write(folder / "spool")
    store = Repository(folder / "repository", create=True)
    store.ingest([folder / "spool"])
    found = digest(store.job_tables("calm"))
    assert found.next == []
    return replace(found, shares=[], metrics={})


def access(direction, ops, size, seeks=0.0):
    return AccessShape(direction, ops, ops * size, size, [0] * 32, 0, 0, 0.0, seeks, "none")


NO_READ, NO_WRITE = access("read", 0, 0), access("write", 0, 0)


def changed(calm, *, shares=(), metrics=(), read=NO_READ, write=NO_WRITE):
    return replace(
        calm,
        shares=[Share(name, share, share) for name, share in dict(shares).items()],
        metrics={name: Spread(total, 0, 0.0, total) for name, total in dict(metrics).items()},
        access=[read, write],
    )


def rules(found):
    return [advice.rule for advice in advise_job(found)]


@pytest.mark.parametrize(
    ("rule", "seen", "less"),
    [
        (
            "oversubscribed",
            {"shares": {"waiting for a core": 0.05}},
            {"shares": {"waiting for a core": 0.049}},
        ),
        (
            "limited",
            {"shares": {"throttled by its CPU limit": 0.05}},
            {"shares": {"throttled by its CPU limit": 0.049}},
        ),
        (
            "small files",
            {
                "shares": {"file metadata": 0.2},
                "metrics": {"posix_open_ops": 100},
                "read": access("read", 300, 10_000),
            },
            {
                "shares": {"file metadata": 0.04},
                "metrics": {"posix_open_ops": 100},
                "read": access("read", 300, 10_000),
            },
        ),
        (
            "metadata",
            {"shares": {"file metadata": 0.1}, "metrics": {"posix_meta_ops": 100}},
            {"shares": {"file metadata": 0.1}, "metrics": {"posix_meta_ops": 99}},
        ),
        (
            "sync",
            {
                "shares": {"file sync": 0.1},
                "metrics": {"posix_sync_ops": 10},
                "write": access("write", 20, 1 << 20),
            },
            {
                "shares": {"file sync": 0.09},
                "metrics": {"posix_sync_ops": 10},
                "write": access("write", 20, 1 << 20),
            },
        ),
        (
            "small writes",
            {"shares": {"file writes": 0.02}, "write": access("write", 100, 4095)},
            {"shares": {"file writes": 0.02}, "write": access("write", 100, 4096)},
        ),
        (
            "random reads",
            {"shares": {"file reads": 0.02}, "read": access("read", 100, 5000, 0.5)},
            {"shares": {"file reads": 0.02}, "read": access("read", 100, 5000, 0.4)},
        ),
        (
            "small reads",
            {"shares": {"file reads": 0.02}, "read": access("read", 100, 4095)},
            {"shares": {"file reads": 0.02}, "read": access("read", 99, 4095)},
        ),
        (
            "hot spots",
            {"shares": {"user CPU": 0.5, "system CPU": 0.1}},
            {"shares": {"user CPU": 0.5}},
        ),
    ],
)
def test_thresholds(calm, rule, seen, less):
    assert rules(changed(calm, **seen)) == [rule]
    assert rules(changed(calm, **less)) == []


def test_a_sentence_has_the_numbers(calm):
    found = changed(
        calm,
        shares={"file sync": 0.5},
        metrics={"posix_sync_ops": 3000},
        write=access("write", 3000, 4096),
    )
    (advice,) = advise_job(found)
    assert advice.why.startswith("3,000 calls of fsync and their like take 50 % of its time")
    assert "after 4,096 written bytes each" in advice.why


def test_computation_is_at_most_the_whole_time(calm):
    """Clocks that differ by a few percent let both shares together exceed it."""
    (advice,) = advise_job(changed(calm, shares={"user CPU": 0.9, "system CPU": 0.14}))
    assert advice.why.startswith("100 % of its time is computation")


def test_rules_are_sound(calm):
    known = job_features(calm)
    names = [rule.name for rule in JOB_RULES]
    assert len(set(names)) == len(names)
    for rule in JOB_RULES:
        assert all(feature in known for feature, _, _ in rule.when)
        assert set(rule.unless) <= set(names)
        assert rule.why.format_map(dict.fromkeys(known, "x"))
        assert rule.tools and rule.kind
