"""Fabrics and jobs: nodes that no fabric has, and what `jostle topology` and doctor say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fabric_files import CONF

from jostle.cli.doctor.checks import check_fabrics
from jostle.cli.main import main
from jostle.report.models.machines.fabrics import outside
from jostle.repository import Repository
from jostle.topology import fat_tree
from synth_random import small_profile


def jobs_on(folder: Path, *hosts: str) -> Path:
    """A repository of a job on each host."""
    for number, host in enumerate(hosts):
        small_profile(number, host=host, job=f"job{number}", pid=100 + number).write(
            folder / "spool"
        )
    with_jobs = Repository(folder / "repository", create=True)
    with_jobs.ingest([folder / "spool"])
    return with_jobs.path


def test_nodes_that_no_fabric_has_are_reported_and_never_guessed() -> None:
    fabric = fat_tree(2, 2, 1, hosts=("a", "b.site", "c", "c.site"))
    lost = outside([fabric], ["a", "b", "c", "d"])
    assert (lost.hosts, lost.missing, lost.alike) == (4, ("b", "d"), {"b": "b.site"})
    assert outside([], ["a"]).missing == ("a",)


def test_import_show_and_doctor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = jobs_on(tmp_path, "n1", "n9")
    monkeypatch.setenv("JOSTLE_REPOSITORY", str(repository))
    monkeypatch.setenv("TZ", "UTC")
    assert check_fabrics(repository).state == "ok"
    file = tmp_path / "topology.conf"
    file.write_text(CONF)
    assert main(["topology", "import", str(file), "--name", "net"]) == 0
    said = capsys.readouterr()
    assert "`net` is new, valid always." in said.out and "tree of 2 levels" in said.out
    assert "1 of 2 nodes that jobs ran on are in no fabric: n9." in said.err
    assert "next: jostle topology show net" in said.err
    finding = check_fabrics(repository)
    assert finding.state == "warn" and "n9" in finding.says and "--hosts" in finding.fix

    assert main(["topology", "import", str(file), "--name", "net"]) == 0
    assert "`net` is unchanged" in capsys.readouterr().out
    file.write_text(CONF.replace("n[5-8]", "n[5-9]"))
    early = ["topology", "import", str(file), "--name", "net", "--valid-from", "1960-01-01"]
    assert main(early) == 2
    assert "between 1970 and 2262" in capsys.readouterr().err
    words = ["topology", "import", str(file), "--name", "net", "--valid-from", "2026-03-01"]
    assert main([*words, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["fabrics"]
    assert row["change"] == "version" and row["changes"] == ["1 node came: n9."]
    assert check_fabrics(repository).says == "net: all 2 nodes of jobs are in them"

    assert main(["topology", "show"]) == 0
    said = capsys.readouterr()
    assert "2 versions:" in said.out and not said.err.startswith("warning")
    assert main(["topology", "show", "nix"]) == 2
    assert "Known fabrics: net." in capsys.readouterr().err
