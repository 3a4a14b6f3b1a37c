"""The supply chain: every pin has hashes, and the audit reports its findings and gaps."""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@contextmanager
def tools() -> Iterator[None]:
    sys.path.insert(0, str(ROOT / "tools/supply"))
    try:
        yield
    finally:
        sys.path.remove(str(ROOT / "tools/supply"))


with tools():
    import advisories
    import audit
    import licences
    import pins
    import sbom

TODAY = date(2026, 6, 1)
LOCK = f"made-up==1.2.0 \\\n    --hash=sha256:{'0' * 64}\nother==3 --hash=sha256:{'1' * 64}\n"
NPM = {
    "packages": {
        "": {"name": "front end"},
        "node_modules/@scope/thing": {
            "version": "2.0.0-next.2",
            "integrity": "sha512-AAAA",
            "license": "MIT",
        },
    }
}


def advisory(**changed: Any) -> dict[str, Any]:
    return {
        "id": "PYSEC-1",
        "aliases": ["CVE-1"],
        "ecosystem": "PyPI",
        "package": "made-up",
        "ranges": [{"introduced": "1.0", "fixed": "1.2.1", "last": ""}],
        "versions": [],
        **changed,
    }


def snapshot(*entries: dict[str, Any], day: str = "2026-05-30") -> dict[str, Any]:
    return {
        "format": 1,
        "source": "a test",
        "licence": "none",
        "covers": {
            "PyPI": {"date": day, "packages": ["made-up", "other"]},
            "npm": {"date": day, "packages": ["@scope/thing"]},
        },
        "advisories": list(entries),
    }


Audit = Callable[..., tuple[int, str]]


@pytest.fixture
def audited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Audit:
    """Audits synthetic locks by a snapshot (an object, or text); returns status and output."""
    (tmp_path / "lock").write_text(LOCK)
    (tmp_path / "npm").write_text(json.dumps(NPM))
    (tmp_path / "rules").write_text("[audit]\ndays = 180\n")

    def run(content: Any, *arguments: str, rules: str = "") -> tuple[int, str]:
        if content is not None:
            text = content if isinstance(content, str) else json.dumps(content)
            (tmp_path / "snapshot").write_text(text)
        (tmp_path / "rules").write_text(f"[audit]\ndays = 180\n{rules}")
        places = {
            "snapshot": "snapshot",
            "rules": "rules",
            "python-lock": "lock",
            "npm-lock": "npm",
        }
        options = [f"--{key}={tmp_path / name}" for key, name in places.items()]
        status = audit.main([*options, *arguments], TODAY)
        return status, capsys.readouterr().out

    return run


# ---- the lock ----


def test_every_pin_has_hashes() -> None:
    assert len(pins.python_pins()) > 70
    assert len(pins.npm_pins()) > 100
    assert [pin.name for pin in pins.python_pins(ROOT / "tools/supply/lock-tool.txt")] == ["uv"]
    assert "--require-hashes" in (ROOT / "tools/setup.sh").read_text()
    assert "npm ci --ignore-scripts" in (ROOT / "tools/ui.sh").read_text()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("thing==1", "thing has no sha256 hash"),
        ("thing==1 --hash=md5:00", "thing has no sha256 hash"),
        (f"thing>=1 --hash=sha256:{'0' * 64}", "not NAME==VERSION with hashes"),
        ("thing @ file:///tmp/thing.whl", "not NAME==VERSION with hashes"),
        ("--index-url=http://other", "not NAME==VERSION with hashes"),
        (LOCK.splitlines()[2] + "\n" + LOCK.splitlines()[2], "pinned twice"),
    ],
)
def test_a_line_that_pins_nothing(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "lock").write_text(line + "\n")
    with pytest.raises(pins.SupplyError, match=said):
        pins.python_pins(tmp_path / "lock")


# ---- the audit ----


def test_a_vulnerable_pin(audited: Audit) -> None:
    status, said = audited(snapshot(advisory()))
    assert status == 1
    assert "made-up 1.2.0 (PyPI): PYSEC-1, CVE-1; fixed in 1.2.1" in said
    assert "tools/supply/lock.sh made-up" in said


def test_one_advisory_by_two_names_counts_once(audited: Audit) -> None:
    _, said = audited(snapshot(advisory(), advisory(id="GHSA-1", aliases=["CVE-1", "PYSEC-1"])))
    assert "1 findings in 3 packages" in said


@pytest.mark.parametrize(
    ("introduced", "fixed", "last", "bad"),
    [
        ("0", "", "", True),
        ("0", "1.2.0", "", False),
        ("0", "1.2.0.post1", "", True),
        ("1.2.0", "", "1.2.0", True),
        ("1.2", "", "1.2", True),
        ("0", "", "1.1.9", False),
        ("1.2.1", "", "", False),
        ("1.2.0rc1", "1.10", "", True),
    ],
)
def test_ranges(audited: Audit, introduced: str, fixed: str, last: str, bad: bool) -> None:
    span = {"introduced": introduced, "fixed": fixed, "last": last}
    assert audited(snapshot(advisory(ranges=[span])))[0] == bad


def test_versions_of_npm(audited: Audit) -> None:
    def status(fixed: str) -> int:
        span = {"introduced": "0", "fixed": fixed, "last": ""}
        return audited(snapshot(advisory(ecosystem="npm", package="@scope/thing", ranges=[span])))[
            0
        ]

    # Of semver.org: numbers before words, word by word, all before the version itself.
    order = "1.9.9 2.0.0-1 2.0.0-alpha 2.0.0-next 2.0.0-next.2 2.0.0-next.10 2.0.0 2.0.1 10.0.0"
    assert [status(fixed) for fixed in order.split()] == [0] * 5 + [1] * 4


def test_an_accepted_advisory_comes_back(audited: Audit) -> None:
    rules = '[[accepted]]\nid = "CVE-1"\nreason = "not called"\nuntil = {}\n'
    status, said = audited(snapshot(advisory()), rules=rules.format("2026-06-01"))
    assert status == 0 and "1 accepted" in said
    assert audited(snapshot(advisory()), rules=rules.format("2026-05-31"))[0] == 1
    status, said = audited(snapshot(advisory()), rules='[[accepted]]\nid = "CVE-1"\n')
    assert status == 1 and "a reason and until" in said


def test_an_old_snapshot_is_warned_of(audited: Audit) -> None:
    status, said = audited(snapshot(day="2025-12-03"))  # 180 days
    assert status == 0 and "Warning" not in said
    assert "no finding in 3 packages" in said
    status, said = audited(snapshot(day="2025-12-02"))
    assert status == 0 and "Warning: the advisories of PyPI are of 2025-12-02" in said


def test_without_a_snapshot_nothing_is_claimed(audited: Audit) -> None:
    status, said = audited(None)
    assert status == 77
    assert "could not be audited: no snapshot" in said and "--renew" in said
    assert "no finding" not in said


def test_what_the_snapshot_does_not_cover_is_said(audited: Audit) -> None:
    content = snapshot()
    content["covers"]["PyPI"]["packages"].remove("other")
    status, said = audited(content)
    assert status == 77
    assert "does not cover 1 packages: other" in said and "no finding" not in said
    del content["covers"]["npm"]
    assert "npm: the snapshot does not cover 1 packages: @scope/thing" in audited(content)[1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "a JSON object is expected"),
        ({}, "the snapshot: an object with format"),
        (snapshot() | {"format": 2}, "format 1 is expected, found 2"),
        (snapshot() | {"covers": {}}, "covers: PyPI or npm"),
        (snapshot(day="yesterday"), "covers.PyPI.date: no date"),
        (snapshot() | {"advisories": {}}, "advisories: a list"),
        (snapshot(advisory(), {}), r"advisories\[1\]: an object with id"),
        (snapshot(advisory(id="")), r"advisories\[0\].id: a text"),
        (snapshot(advisory(id="\x1b[2J")), r"advisories\[0\].id: a text"),
        (snapshot(advisory(ecosystem="crates")), r"advisories\[0\].ecosystem: PyPI or npm"),
        (snapshot(advisory(aliases="CVE-1")), r"advisories\[0\].aliases: a list"),
        (snapshot(advisory(ranges=[{"introduced": "0"}])), r"ranges\[0\]: an object with"),
        (
            snapshot(advisory(ranges=[{"introduced": "0", "fixed": "soon", "last": ""}])),
            r"advisories\[0\].ranges\[0\].fixed: no version of PyPI: 'soon'",
        ),
        (
            snapshot(advisory(ranges=[{"introduced": "", "fixed": "", "last": ""}])),
            r"ranges\[0\].introduced: a text",
        ),
    ],
)
def test_a_damaged_snapshot_is_refused(audited: Audit, content: Any, said: str) -> None:
    status, words = audited(content)
    assert status == 1
    assert re.search(said, words), words


def test_a_snapshot_is_made_of_records(audited: Audit, tmp_path: Path) -> None:
    records = [
        {
            "id": "PYSEC-2",
            "modified": "2026-05-20T00:00:00Z",
            "aliases": ["CVE-2"],
            "details": "prose that is not taken",
            "affected": [
                {
                    "package": {"ecosystem": "PyPI", "name": "Made_Up"},
                    "ranges": [
                        {
                            "type": "ECOSYSTEM",
                            "events": [
                                {"fixed": "1.3"},
                                {"introduced": "1.1"},
                                {"introduced": "0"},
                                {"fixed": "1"},
                            ],
                        },
                        {"type": "GIT", "events": [{"introduced": "0"}]},
                    ],
                    "versions": ["1.1", "1.2.0", "an-old-one"],
                }
            ],
        },
        {
            "id": "GHSA-3",
            "modified": "2026-05-10T00:00:00Z",
            "affected": [
                {
                    "package": {"ecosystem": "npm", "name": "@scope/thing"},
                    "ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}],
                }
            ],
        },
        {
            "id": "PYSEC-4",
            "modified": "2026-05-01T00:00:00Z",
            "withdrawn": "2026-05-01T00:00:00Z",
            "affected": [{"package": {"ecosystem": "PyPI", "name": "other"}, "versions": ["3"]}],
        },
        {
            "id": "PYSEC-5",
            "modified": "2026-05-01T00:00:00Z",
            "affected": [{"package": {"ecosystem": "PyPI", "name": "stranger"}, "versions": ["3"]}],
        },
    ]
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for record in records:
            archive.writestr(f"{record['id']}.json", json.dumps(record))
    status, said = audited(None, "--renew", str(tmp_path / "all.zip"))
    assert status == 0 and "PyPI 2026-05-20" in said and "npm 2026-05-10" in said
    text = (tmp_path / "snapshot").read_text()
    assert "prose" not in text and "PYSEC-4" not in text and "stranger" not in text
    made = advisories.load(tmp_path / "snapshot").advisories
    assert [one.id for one in made] == ["PYSEC-2", "GHSA-3"]
    assert made[0].ranges == (advisories.Range("0", "1"), advisories.Range("1.1", "1.3"))
    assert made[0].versions == ("an-old-one",)
    status, said = audited(None)
    assert status == 1 and "PYSEC-2, CVE-2; fixed in 1.3" in said
    assert "GHSA-3; not fixed" in said


@pytest.mark.parametrize(
    "record", [b"", b"[]", b"{}", b'{"id": "A", "affected": 3}', b'{"id": "A", "affected": [3]}']
)
def test_a_damaged_record_is_named(audited: Audit, tmp_path: Path, record: bytes) -> None:
    (tmp_path / "records").mkdir()
    (tmp_path / "records/A.json").write_bytes(record)
    status, said = audited(None, "--renew", str(tmp_path / "records"))
    assert status == 1
    assert re.search(r"^A(\.json)? is not an OSV record", said)
    assert not (tmp_path / "snapshot").exists()


def test_the_committed_snapshot_can_be_read() -> None:
    if audit.SNAPSHOT.exists():
        advisories.load(audit.SNAPSHOT)
    assert audit.accepted(audit.RULES, TODAY) is not None


# ---- licences ----


def test_an_unknown_licence_is_named() -> None:
    bad = pins.Pin("PyPI", "thing", "1", licence="AGPL-3.0-only")
    none = pins.Pin("npm", "other", "2")
    good = pins.Pin("npm", "fine", "3", licence="MIT")
    said = licences.refused([bad, none, good], {"MIT"}, "used")
    assert len(said) == 2
    assert "thing 1 (PyPI, used): its licence AGPL-3.0-only is not allowed" in said[0]
    assert "other 2 (npm, used): its licence is not declared clearly" in said[1]


@pytest.mark.parametrize(
    ("expression", "permitted"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("GPL-3.0-only OR MIT", True),
        ("MIT AND GPL-3.0-only", False),
        ("MIT AND (GPL-3.0-only OR BSD-3-Clause)", True),
        ("(MIT)", True),
        ("GPL-3.0-only WITH Some-exception", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("", False),
        ("MIT AND", False),
        ("MIT)", False),
        ("(MIT", False),
        ("MIT MIT", False),
    ],
)
def test_expressions(expression: str, permitted: bool) -> None:
    allowed = {"MIT", "BSD-3-Clause", "Apache-2.0 WITH LLVM-exception"}
    assert licences.permits(expression, allowed) == permitted


def test_a_licence_that_others_forbid_fails_the_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = licences.RULES.read_text()
    assert licences.main() == 0
    (tmp_path / "rules").write_text(text.replace('"MIT",', ""))
    assert licences.main(tmp_path / "rules") == 1
    said = capsys.readouterr().out
    assert "svelte" in said and "in the wheel" in said and "ruff" in said


def test_the_licences_of_what_is_bundled_are_with_the_pages() -> None:
    text = (ROOT / "ui/public/LICENSES.txt").read_text()
    there = set(re.findall(r"^==== (\S+ \S+)$", text, re.MULTILINE))
    assert there == {f"{pin.name} {pin.version}" for pin in pins.bundled_pins()}


# ---- the bill of materials ----


def test_the_bill_of_materials_is_what_is_pinned() -> None:
    bill = json.loads(sbom.SBOM.read_text())
    python = {pin.purl: pin for pin in pins.python_pins()}
    npm = {pin.purl: pin for pin in pins.bundled_pins()}
    for component in bill["components"]:
        pin = (python | npm)[component["purl"]]
        assert component["version"] == pin.version
        digests = [one["content"] for one in component["hashes"]]
        assert digests == [one.partition(":")[2] for one in pin.hashes]
        assert component["licenses"]
    named = {component["purl"] for component in bill["components"]}
    assert len(named) == len(bill["components"])
    assert set(npm) < named
    assert {"pkg:pypi/numpy", "pkg:pypi/authlib"} < {one.partition("@")[0] for one in named}
    assert not {"pkg:pypi/pytest", "pkg:pypi/ruff"} & {one.partition("@")[0] for one in named}
    refs = {one["ref"] for one in bill["dependencies"]}
    assert {one for entry in bill["dependencies"] for one in entry["dependsOn"]} <= refs
    assert refs == named | {bill["metadata"]["component"]["purl"]}


def test_the_bill_of_materials_is_fresh_and_the_same_each_time() -> None:
    assert sbom.document() == sbom.document() == sbom.SBOM.read_text()
