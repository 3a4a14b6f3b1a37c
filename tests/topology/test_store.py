"""Fabrics in a repository: versions, unchanged content, damaged files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jostle.topology import Topology, TopologyError, dragonfly, fat_tree, torus
from jostle.topology.store import (
    _compressed,
    _document,
    load_all,
    newest,
    same_content,
    save,
    topologies_of,
)
from jostle.topology.summary import changes, summary


def with_tables(topology: Topology) -> Topology:
    """The fabric with a forwarding table of its first switch."""
    switch = int(np.flatnonzero(topology.is_switch)[0])
    table = np.full(len(topology.vertices), -1, np.int64)
    table[0] = 3
    return replace(topology, forwarding={switch: table}, notes=("said",), origin="a test")


@pytest.mark.parametrize(
    "topology",
    [
        torus((4, 3, 2)),
        torus((3,), wraps=(False,)),
        with_tables(fat_tree(4, 2, 2)),
        dragonfly(3, 4, 2, rate=1e11),
    ],
)
def test_what_is_saved_is_loaded(topology: Topology, tmp_path: Path) -> None:
    assert save(tmp_path / "topologies", topology).change == "new"
    (back,) = topologies_of(tmp_path)
    assert same_content(back, topology) and back.origin == topology.origin
    assert back.coordinates.shape == topology.coordinates.shape
    assert [path.name for path in (tmp_path / "topologies").iterdir()] == [
        "fabric.0.topology.json.zst"
    ]


def test_versions_are_valid_from_their_date(tmp_path: Path) -> None:
    small, large = fat_tree(2, 2, 1), fat_tree(2, 3, 1)
    assert save(tmp_path, small).change == "new"
    assert save(tmp_path, replace(small, valid_from_ns=50)).change == "unchanged"
    assert save(tmp_path, replace(large, valid_from_ns=100)).change == "version"
    assert save(tmp_path, replace(large, valid_from_ns=200, origin="elsewhere")).change == (
        "unchanged"
    )
    assert save(tmp_path, replace(small, valid_from_ns=100)).change == "replaced"
    assert save(tmp_path, replace(large, valid_from_ns=100)).change == "replaced"
    assert [each.valid_from_ns for each in load_all(tmp_path)] == [0, 100]
    before, after = newest(tmp_path, "fabric", 99), newest(tmp_path, "fabric", 100)
    assert before is not None and len(before.adapters_of) == 4
    assert after is not None and len(after.adapters_of) == 6
    assert newest(tmp_path, "other", 100) is None
    assert load_all(tmp_path)[0] is load_all(tmp_path)[0]  # read once


@pytest.mark.parametrize("date_ns", [-1, 1 << 63, 10**20])
def test_a_date_that_no_file_can_have_is_refused(date_ns: int, tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match="between 1970 and 2262"):
        save(tmp_path, replace(fat_tree(2, 2, 1), valid_from_ns=date_ns))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\x28\xb5\x2f\xfd\x00"])
def test_a_damaged_file_is_named_with_its_fix(content: bytes, tmp_path: Path) -> None:
    save(tmp_path, fat_tree(2, 2, 1))
    (path,) = tmp_path.iterdir()
    path.write_bytes(content)
    with pytest.raises(TopologyError, match=r"fabric\.0\.topology.*damaged") as caught:
        load_all(tmp_path)
    assert "import" in caught.value.hint
    save(tmp_path, torus((3, 3), name="other"))
    damaged: list[TopologyError] = []
    assert [each.name for each in load_all(tmp_path, damaged)] == ["other"]  # it stays apart
    assert [str(error) for error in damaged] == [str(caught.value)]
    assert save(tmp_path, fat_tree(2, 2, 1)).change == "new" and len(load_all(tmp_path)) == 2


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)


@given(data=st.data())
def test_a_hostile_file_is_damage_and_nothing_else(data: st.DataObject, tmp_path: Path) -> None:
    document = {"format": 1, **_document(with_tables(torus((3, 2))))}
    field = data.draw(st.sampled_from(sorted(document)))
    value = document[field]
    if isinstance(value, list) and value and data.draw(st.booleans()):
        value[data.draw(st.integers(0, len(value) - 1))] = data.draw(JSON)
    else:
        document[field] = data.draw(JSON)
    (tmp_path / "fabric.0.topology.json.zst").write_bytes(
        _compressed(json.dumps(document).encode())
    )
    damaged: list[TopologyError] = []
    for topology in load_all(tmp_path, damaged):
        assert topology.link_place is not None and summary(topology).nodes >= 0
    assert len(damaged) <= 1


def test_a_name_that_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match="cannot be the name"):
        save(tmp_path, fat_tree(2, 2, 1, name="../evil"))
    assert not list(tmp_path.iterdir())


def test_nodes_that_came_went_moved_and_changed_their_name_are_reported() -> None:
    before = fat_tree(2, 3, 2, hosts=("a", "b", "c", "d", "e", "f"))
    after = fat_tree(2, 3, 2, hosts=("a", "x", "d", "c", "e", "g"))
    sentences = changes(before, after)
    assert "2 nodes moved: c from leaf1 to leaf2, d from leaf2 to leaf1." in sentences
    assert "x is where b was: renamed or replaced." in sentences
    assert "g is where f was: renamed or replaced." in sentences
    assert changes(before, before) == []
    assert changes(before, with_tables(before)) == ["The forwarding tables differ."]
    larger = changes(before, fat_tree(3, 3, 2, hosts=("a", "b", "c", "d", "e", "f", *"ghi")))
    assert larger[0] == "3 nodes came: g, h, i." and larger[1] == "1 switch came: leaf3."
    assert larger[2] == "Of the links between switches, 4 came."
