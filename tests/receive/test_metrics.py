"""What the receiver tells a monitor: OpenMetrics text, a dashboard that uses it, and the unit."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from receive_node import Node, ranged
from running_receiver import Running

from jostle.receive.metrics import FAMILIES, Counts, openmetrics

ROOT = Path(__file__).parents[2]
SAMPLE = re.compile(r'([a-z_]+)(?:\{([a-z]+="[^"\\]*")\})? (-?[0-9.e+-]+|NaN|\+Inf)')
SUFFIXES = {"counter": {"_total"}, "gauge": {""}, "histogram": {"_bucket", "_count", "_sum"}}
GAUGES = {name: 1.0 for name, family in FAMILIES.items() if family[0] == "gauge"}
GAUGES |= {"jostle_receive_gaps": 2, "jostle_receive_ingested_slices": 3}


def families(text: str) -> dict[str, list[tuple[str, str, float]]]:
    """Take OpenMetrics text apart by its rules: name -> samples (suffix, label, value)."""
    lines = text.split("\n")
    assert lines[-2:] == ["# EOF", ""]
    found: dict[str, list[tuple[str, str, float]]] = {}
    kind = name = ""
    for line in lines[:-2]:
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in found
            found[name] = []
        elif line.startswith("# UNIT "):
            assert line.split(" ")[2] == name
            assert name.endswith("_" + line.split(" ")[3])
        elif line.startswith("# HELP "):
            assert line.split(" ")[2] == name
        else:
            sample = SAMPLE.fullmatch(line)
            assert sample, line
            suffix = sample[1].removeprefix(name)
            assert suffix in SUFFIXES[kind], line
            found[name].append((suffix, sample[2] or "", float(sample[3])))
    return found


def test_the_text_follows_the_rules() -> None:
    counts = Counts()
    for seconds in (0.001, 0.02, 0.02, 99.0):
        counts.acknowledged(10, 100, seconds)
    counts.refused["clock"] += 2
    text = openmetrics(counts, GAUGES).decode()
    found = families(text)
    assert found.keys() == FAMILIES.keys()
    assert found["jostle_receive_refused"] == [("_total", 'code="clock"', 2)]
    assert found["jostle_receive_decoded_bytes"] == [("_total", "", 400)]
    buckets = [
        value for suffix, _, value in found["jostle_receive_store_seconds"] if suffix == "_bucket"
    ]
    assert buckets == [1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 4]
    if importlib.util.find_spec("prometheus_client"):
        from prometheus_client.openmetrics.parser import text_string_to_metric_families

        assert {family.name for family in text_string_to_metric_families(text)} == FAMILIES.keys()


def test_a_receiver_counts_what_it_took_and_refused(receiver: Running) -> None:
    node = receiver.node("n3")

    def value(name: str, label: str = "") -> float:
        status, content, kind = node.get("/metrics")
        assert status == 200
        assert kind.startswith("application/openmetrics-text; version=1.0.0")
        samples = families(content.decode())[f"jostle_receive_{name}"]
        return next((value for _, has, value in samples if has == label), 0.0)

    posts, wrong = value("posts"), value("refused", 'code="credential"')
    node.post(ranged(1, b"x" * 1000))
    Node(receiver.port, "no", "n3").post(ranged(1, b"y"))
    assert value("posts") == posts + 1
    assert value("refused", 'code="credential"') == wrong + 1
    assert value("decoded_bytes") >= 1000
    assert value("files_open") >= 1
    assert value("mirror_bytes") >= 1000
    assert value("nodes_seen") >= 1
    assert value("ingest_up") == 1
    assert value("disk_free_bytes") > 1 << 20


def test_the_dashboard_uses_metrics_that_there_are() -> None:
    board = json.loads((ROOT / "integrations/grafana/jostle-receive.json").read_text())
    known = {name + suffix for name, (kind, *_) in FAMILIES.items() for suffix in SUFFIXES[kind]}
    used: set[str] = set()
    for panel in board["panels"]:
        assert panel["targets"]
        for target in panel["targets"]:
            names = set(re.findall(r"jostle_[a-z_]+", target["expr"]))
            assert names, panel["title"]
            used |= names
            assert target["expr"].count("(") == target["expr"].count(")")
    assert used <= known
    unused = {name for name in FAMILIES if not any(each.startswith(name) for each in used)}
    assert not unused
    places = [tuple(panel["gridPos"][key] for key in "xywh") for panel in board["panels"]]
    assert len(set(places)) == len(places)


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
