"""Rules as people write them, and as the library reads them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jostle.errors import UsageError
from jostle_lab.inject import GROUPS, Rules, environment
from jostle_lab.inject.rules import Delay, log_folder, parse_ranks


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("fixed:5ms", "fixed:5000000ns"),
        ("fixed:.5s", "fixed:500000000ns"),
        ("gauss:5ms,1ms", "gauss:5000000ns,1000000ns"),
        ("pareto:1ms,1.5", "pareto:1000000ns,1.500000,1000000000ns"),
        ("pareto:1s,2", "pareto:1000000000ns,2.000000,60000000000ns"),
        ("pareto:1ms,1.5,20ms", "pareto:1000000ns,1.500000,20000000ns"),
    ],
)
def test_delays(text: str, read: str) -> None:
    assert str(Delay.parse(text)) == read


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fixed",
        "fixed:",
        "fixed:5",
        "fixed:0s",
        "fixed:61s",
        "fixed:1ms,2ms",
        "gauss:5ms",
        "pareto:1ms",
        "pareto:1ms,0",
        "pareto:1ms,x",
        "pareto:1ms,1,1us",
        "uniform:1ms,2ms",
    ],
)
def test_no_delays(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        Delay.parse(text)
    assert caught.value.hint


def test_ranks() -> None:
    assert parse_ranks("0,2-3, 7") == ((0, 0), (2, 3), (7, 7))
    for text in ("", "3-1", "a", "1,,2", "-1"):
        with pytest.raises(UsageError):
            parse_ranks(text)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"calls": ()}, "No calls"),
        ({"calls": ("alltoall",)}, "`alltoall`"),
        ({"probability": 1.1}, "1.1"),
        ({"probability": float("nan")}, "nan"),
        ({"seed": -1}, "-1"),
        ({"from_ns": 5, "until_ns": 5}, "window"),
        ({"period_ns": 5, "duty": 2}, "share"),
        ({"random_place": True}, "position"),
        ({"random_place": True, "period_ns": 9, "duty": 0.6}, "position"),
        ({"ranks": tuple((i, i) for i in range(65))}, "64"),
    ],
)
def test_rules_that_cannot_be(change: dict[str, object], word: str) -> None:
    good: dict[str, object] = {"calls": ("mpi",), "delay": Delay("fixed", 1)}
    with pytest.raises(UsageError, match=word) as caught:
        Rules(**(good | change))  # type: ignore[arg-type]
    assert caught.value.hint


def test_a_misspelt_set_has_a_neighbour() -> None:
    with pytest.raises(UsageError) as caught:
        Rules(calls=("alltoall",), delay=Delay("fixed", 1))
    assert "all-to-all" in caught.value.hint


def test_text() -> None:
    rules = Rules(
        ("p2p", "io"), Delay.parse("fixed:1ms"), 0.01, 7, ((0, 0), (2, 3)), 5, 10, 4_000, 0.25, 1
    )
    assert rules.text("/logs here") == (
        "seed=7 calls=p2p,io probability=0.010000000000 delay=fixed:1000000ns ranks=0,2-3 "
        "from=5ns until=10ns period=4000ns on=1000ns phase=1ns log=/logs here"
    )

    drawn = Rules(("io",), Delay.parse("fixed:1ms"), period_ns=4_000, random_place=True)
    assert drawn.text("/a").endswith("period=4000ns on=2000ns phase=0ns place=random log=/a")


def test_a_folder_serves_one_run(tmp_path: Path, library: Path) -> None:
    made = environment("mpi", "fixed:1ms", tmp_path / "a" / "logs")
    assert made["LD_PRELOAD"].split(":")[0].endswith("libjostle_inject.so")
    assert (tmp_path / "a" / "logs").is_dir()
    (tmp_path / "a" / "logs" / "inject-host-1.jil").touch()
    with pytest.raises(UsageError, match="another run"):
        environment("mpi", "fixed:1ms", tmp_path / "a" / "logs")
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="No logs can be written"):
        log_folder(tmp_path / "file" / "logs")
    with pytest.raises(UsageError, match="too long"):
        environment("mpi", "fixed:1ms", tmp_path / ("x" * 200) / ("y" * 200) / ("z" * 200))


def test_sets_are_those_of_the_library(root: Path) -> None:
    """Both sides know the same names."""
    source = (root / "lab" / "inject" / "rules.c").read_text()
    for name in GROUPS:
        assert f'{{"{name}", ' in source, name
    table = source.split("} groups[] = {")[1].split("};")[0]
    assert table.count('{"') == len(GROUPS)
    assert os.fspath(root)
