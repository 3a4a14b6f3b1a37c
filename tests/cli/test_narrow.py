"""Tables and texts in a narrow terminal: names of rows and numbers stay whole."""

from __future__ import annotations

import pytest
from rich.text import Text

from jostle.cli import output
from jostle.cli.output import fit, show, table

NUMBERS = ["59 % ± 10", "10.3 s", "+5.03 s", "+241 ms", "+35.7 ms"]


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    def shown(thing: object, width: int) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(width))
        output.console.cache_clear()
        show(thing)
        return capsys.readouterr().out.splitlines()

    yield shown
    output.console.cache_clear()


def runs(number: int) -> object:
    frame = table(["=run", ">interference", ">run time", ">measured", ">displaced", ">unexplained"])
    for at in range(number):
        frame.add_row(f"lammps-{at}", *NUMBERS)
    return fit(frame)


@pytest.mark.parametrize("number", [2, 9])
@pytest.mark.parametrize("width", [120, 80, 60, 40])
def test_a_table_keeps_its_names_and_numbers_at_any_width(shown, number: int, width: int) -> None:
    lines = shown(runs(number), width)
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    for word in ("interference", "unexplained", *(f"lammps-{at}" for at in range(number))):
        assert word in text
    assert all(text.count(cell) == number for cell in NUMBERS)


def test_names_of_rows_are_wrapped_and_a_drawing_goes_first(shown) -> None:
    frame = table(["=", ">time, all ranks", ">share", "="])
    frame.add_row("waiting for data of other ranks", "12.6 s", "61 %", "█████·····")
    lines = shown(frame, 38)
    assert max(map(len, lines)) <= 38
    assert [line.split() for line in lines[-2:]] == [
        ["waiting", "for", "data", "of", "12.6", "s", "61", "%"],
        ["other", "ranks"],
    ]


def test_a_text_is_broken_between_words_and_not_before_a_unit(shown) -> None:
    line = Text("note: 38 % of its time went to waiting for a disk at 246 MiB/s (p = 0.02)")
    assert shown(line, 58) == [
        "note: 38 % of its time went to waiting for a disk at",
        "  246 MiB/s (p = 0.02)",
    ]
    assert shown("  - " + "word " * 5 + "12.3 s", 24) == [
        "  - word word word",
        "    word word 12.3 s",
    ]


def test_a_pipe_gets_whole_lines(shown, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    output.console.cache_clear()
    show(Text("word " * 100))
    assert len(capsys.readouterr().out.splitlines()) == 1
