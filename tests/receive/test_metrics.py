"""What the receiver reports to a monitor: OpenMetrics text, a dashboard for it, and the unit."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from receive_node import Node, ranged
from running_receiver import Running

from dashboards import check
from jostle.receive.metrics import FAMILIES, Counts, openmetrics
from openmetrics import SUFFIXES, check_by_others, families

ROOT = Path(__file__).parents[2]
GAUGES = {name: 1.0 for name, family in FAMILIES.items() if family[0] == "gauge"}
GAUGES |= {"jostle_receive_gaps": 2, "jostle_receive_ingested_slices": 3}


def test_the_text_follows_the_rules() -> None:
    counts = Counts()
    for seconds in (0.001, 0.02, 0.02, 99.0):
        counts.acknowledged(10, 100, seconds)
    counts.refused["clock"] += 2
    text = openmetrics(counts, GAUGES).decode()
    found = families(text)
    assert found.keys() == FAMILIES.keys()
    assert found["jostle_receive_refused"] == [("_total", {"code": "clock"}, 2)]
    assert found["jostle_receive_decoded_bytes"] == [("_total", {}, 400)]
    buckets = [
        value for suffix, _, value in found["jostle_receive_store_seconds"] if suffix == "_bucket"
    ]
    assert buckets == [1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 4]
    check_by_others(text)


def test_a_receiver_counts_what_it_took_and_refused(receiver: Running) -> None:
    node = receiver.node("n3")

    def value(name: str, code: str = "") -> float:
        status, content, kind = node.get("/metrics")
        assert status == 200
        assert kind.startswith("application/openmetrics-text; version=1.0.0")
        samples = families(content.decode())[f"jostle_receive_{name}"]
        return next((value for _, has, value in samples if has.get("code", "") == code), 0.0)

    posts, wrong = value("posts"), value("refused", "credential")
    node.post(ranged(1, b"x" * 1000))
    Node(receiver.port, "no", "n3").post(ranged(1, b"y"))
    assert value("posts") == posts + 1
    assert value("refused", "credential") == wrong + 1
    assert value("decoded_bytes") >= 1000
    assert value("files_open") >= 1
    assert value("mirror_bytes") >= 1000
    assert value("nodes_seen") >= 1
    assert value("ingest_up") == 1
    assert value("disk_free_bytes") > 1 << 20


def test_the_dashboard_uses_metrics_that_there_are() -> None:
    suffixes = set().union(*SUFFIXES.values())
    check(ROOT / "integrations/grafana/jostle-receive.json", FAMILIES, suffixes)


def test_the_reference_has_all_metrics() -> None:
    text = (ROOT / "docs/reference/receive.md").read_text()
    named = set(re.findall(r"`(jostle_receive_[a-z_]+)", text))
    kinds = {
        name + ("_total" if kind == "counter" else ""): name
        for name, (kind, *_) in FAMILIES.items()
    }
    assert named == kinds.keys()


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
def test_systemd_knows_the_unit_and_its_sandbox() -> None:
    unit = ROOT / "integrations/systemd/jostle-receive.service"
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True
    )
    complaints = [
        line
        for line in verified.stderr.splitlines()
        if "jostle" in line and "is not executable" not in line
    ]
    assert not complaints
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=25", unit],
        capture_output=True,
        text=True,
    )
    assert rated.returncode == 0, rated.stdout[-500:]
