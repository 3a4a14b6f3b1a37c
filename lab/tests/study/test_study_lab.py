"""Studies in a lab: shares of the link, sources of traffic, and nothing left of the lab."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from workplace import ROOT, Workplace

from jostle.topology.store import topologies_of
from jostle_lab.study import traffic
from jostle_lab.study.places.lab import from_nodes

NAME = f"study{os.getpid() % 10000}"
TEXT = f"""
[study]
name = "pairs"
repetitions = 1
slice = "250ms"
[lab]
name = "{NAME}"
nodes = 3
[defaults]
chunk = "256KiB"
processes = 2
volume = "16MiB"
[[program]]
name = "one"
pattern = "write-seek"
[[program]]
name = "two"
pattern = "aggregate-write"
nodes = 2
mpi = "{{mpi}}"
[pairs]
list = [["one", "two"]]
"""


@pytest.fixture(autouse=True)
def _lab() -> Iterator[None]:
    from jostle.errors import JostleError
    from jostle_lab.cluster import LabSpec, attach
    from jostle_lab.cluster.checks import check_machine

    if os.geteuid() != 0:
        pytest.skip("a lab with a shaped link needs root")
    try:
        check_machine(LabSpec(name=NAME))
    except JostleError as error:
        pytest.skip(str(error))
    yield
    try:
        attach(NAME).down()
    except JostleError:
        return
    pytest.fail(f"the lab {NAME} was left up")


def has(mpi: str) -> bool:
    from jostle import NativeMissingError
    from jostle_lab.signals import program

    try:
        program(None if mpi == "none" else mpi)
    except NativeMissingError:
        return False
    return mpi == "none" or shutil.which(f"mpirun.{mpi}") is not None


@pytest.mark.in_turn
def test_one_study_in_memory_and_on_the_disk(workplace: Workplace) -> None:
    text = TEXT.split("[[program]]", maxsplit=1)[0].replace(
        "nodes = 3", 'nodes = 1\nstore = "both"'
    )
    text += '[[program]]\npattern = "write-seek"\n[axes]\nstore = ["ram", "disk"]\n'
    code, _, err = workplace.study("run", str(workplace.write(text + "[pairs]\nall = false\n")))
    assert code == 0, err
    written = {}
    for record in workplace.records("pairs"):
        (one,) = record["programs"]
        assert one["error"] is None and one["bytes"] == 16 << 20
        first, last = record["monitor"][0], record["monitor"][-1]
        written[record["cell"]["store"]] = last["disk.written"] - first["disk.written"]
    assert written["ram"] < 1 << 20 < 8 << 20 < written["disk"]
    workplace.nothing_left("pairs")
    other = text.replace('store = ["ram", "disk"]', 'store = ["tape"]')
    code, _, err = workplace.study("run", str(workplace.write(other)), "--fresh")
    assert code == 1 and "no store `tape`" in err and "fix:" in err


@pytest.mark.parametrize(
    "mpi",
    [
        pytest.param("none", marks=pytest.mark.in_turn),
        "openmpi",
        pytest.param("mpich", marks=pytest.mark.in_turn),
    ],
)
def test_a_pair_in_a_lab(workplace: Workplace, mpi: str) -> None:
    if not has(mpi):
        pytest.skip(f"no signals for {mpi}")
    text = TEXT.replace("{mpi}", mpi)
    if mpi != "none":
        text = text.replace("[defaults]", "[defaults]\nalone = false")
    code, _, err = workplace.study("run", str(workplace.write(text)))
    assert code == 0, err
    records = workplace.records("pairs")
    kinds = ["alone", "alone", "pair"] if mpi == "none" else ["pair"]
    assert [record["kind"] for record in records] == kinds
    for record in records:
        assert record["resource"] == f"sshfs:storage.{NAME}:/"
        for one in record["programs"]:
            assert one["error"] is None, one
            assert one["bytes"] == 16 << 20
            assert one["written"] == pytest.approx(one["bytes"], rel=0.01)
        # The link's counters saw what the signals say that they wrote.
        seen = traffic(record)
        own = sum(one["bytes"] for one in record["programs"])
        assert sum(one.server for one in seen) == pytest.approx(own, rel=0.1)
        assert sum(one.foreign for one in seen) < 0.05 * own
    pair = records[-1]
    assert [one["nodes"] for one in pair["programs"]] == [["node1"], ["node2", "node3"]]
    begins = [one["begin_ns"] for one in pair["programs"]]
    assert all(begin >= pair["start_ns"] for begin in begins)
    jobs = workplace.open().query("SELECT DISTINCT host FROM processes")["host"].to_pylist()
    assert set(jobs) == {"node1", "node2", "node3"}
    workplace.nothing_left("pairs")


@pytest.mark.in_turn
def test_foreign_traffic_is_distinguished(workplace: Workplace) -> None:
    from jostle_lab.cluster import LabSpec, up

    path = workplace.write(
        TEXT.replace("{mpi}", "none").replace("nodes = 2", "nodes = 1\nalone = false")
    )
    lab = up(LabSpec(name=NAME, nodes=3))
    words = ["dd", "if=/dev/zero", f"of={lab.shared}/foreign", "bs=1M", "count=2000"]
    try:
        with lab.popen("node3", words, stderr=subprocess.DEVNULL) as foreign:
            code, _, err = workplace.study("run", str(path))
            foreign.terminate()
        assert code == 0, err
        assert lab.alive()  # it was there before the study
        pair = workplace.records("pairs")[-1]
        seen = traffic(pair)
        inside = [one for one in seen if one.begin_ns >= pair["start_ns"]]
        assert sum(one.foreign for one in inside) > 0.1 * sum(one.own for one in inside)
        left = lab.command("node1", ["ls", "-A", str(lab.shared)])
        assert subprocess.check_output(left, text=True).split() == ["foreign"]
    finally:
        lab.down()


@pytest.mark.in_turn
def test_an_interrupted_study_takes_its_lab_down(workplace: Workplace) -> None:
    text = TEXT.replace("{mpi}", "none").replace("16MiB", "80MiB")
    path = workplace.write(text)
    code, _, err = workplace.interrupted("pairs", 1, "run", str(path))
    assert code == 130, err
    workplace.nothing_left("pairs")
    listed = [sys.executable, "-m", "jostle.cli", "lab", "status", "--name", NAME]
    env = dict(os.environ) | {"PYTHONPATH": str(ROOT / "src")}
    assert subprocess.run(listed, env=env, capture_output=True, check=False).returncode != 0
    assert not (Path("/run/jostle-lab") / NAME).exists()
    code, _, err = workplace.study("run", str(path))
    assert code == 0, err
    runs = [record["run"] for record in workplace.records("pairs")]
    assert sorted(runs) == ["r01-a001", "r01-a002", "r01-p001"]


@pytest.mark.in_turn
def test_a_lab_that_is_taken_down_fails_no_program(workplace: Workplace) -> None:
    from jostle_lab.cluster import attach

    path = workplace.write(TEXT.replace("{mpi}", "none").replace("16MiB", "80MiB"))
    process = workplace.start("run", str(path))
    workplace.under_way("pairs", 1)
    attach(NAME).down()
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert f"the lab `{NAME}` was taken down" in err and "continues" in err, err
    assert len(workplace.records("pairs")) == 1
    workplace.nothing_left("pairs")


@pytest.mark.in_turn
def test_another_lab_of_the_name_is_refused(workplace: Workplace) -> None:
    from jostle_lab.cluster import LabSpec, up

    lab = up(LabSpec(name=NAME, nodes=3, storage_rate="100mbit"))
    try:
        path = workplace.write(TEXT.replace("{mpi}", "none"))
        code, _, err = workplace.study("run", str(path))
    finally:
        lab.down()
    assert code == 1 and "storage_rate" in err and "jostle lab down" in err


def test_too_few_nodes(workplace: Workplace) -> None:
    text = TEXT.replace("{mpi}", "none").replace("nodes = 3", "nodes = 2")
    code, _, err = workplace.study("run", str(workplace.write(text)))
    assert code == 1 and "needs 3 nodes" in err and "nodes = 3 in [lab]" in err
    workplace.nothing_left("pairs")


@pytest.mark.in_turn
def test_programs_run_at_the_nodes_that_a_study_names(workplace: Workplace) -> None:
    if not has("openmpi"):
        pytest.skip("no signals for openmpi")
    text = f"""
    [study]
    name = "places"
    repetitions = 1
    [lab]
    name = "{NAME}"
    topology = "tree:2x2"
    fs = "plain"
    [[program]]
    name = "far"
    pattern = "ping"
    mpi = "openmpi"
    at = "4,1"
    chunk = "64KiB"
    iterations = 20
    [pairs]
    all = false
    """
    code, _, err = workplace.study("run", str(workplace.write(text)))
    assert code == 0, err
    (record,) = workplace.records("places")
    (program,) = record["programs"]
    assert program["error"] is None and program["nodes"] == ["node4", "node1"]
    known = topologies_of(workplace.open().path)
    assert [(each.name, each.origin) for each in known] == [
        ("lab", "jostle lab up --topology tree:2x2")
    ]
    assert "leaf1 > spine1" in str(record["monitor"])


def test_what_servers_send_each_other_is_no_traffic_of_nodes() -> None:
    """Counters of a real run on CephFS, whose metadata server writes its journal to the others."""
    counts = {"storage.out": 28917736, "storage.in": 3421245}
    counts |= {"storage2.out": 127882, "storage2.in": 17720180}
    counts |= {"storage3.out": 370410, "storage3.in": 36129498}
    counts |= {
        "node1.out": 34539599,
        "node1.in": 2273420,
        "node2.out": 2267546,
        "node2.in": 6685232,
    }
    servers, nodes = ("storage", "storage2", "storage3"), ("node1", "node2")
    found = from_nodes(counts, servers, nodes)
    assert found == pytest.approx(counts["node1.out"] + counts["node2.out"], rel=0.001)
    # One server talks to nobody else.
    assert from_nodes({"s.in": 50, "s.out": 7, "n.in": 7, "n.out": 50}, ("s",), ("n",)) == 50
