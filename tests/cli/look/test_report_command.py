"""`jostle report`: one file with the output of the verbs; loads nothing, trusts no name."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from command import Done

from jostle.cli.main import main
from jostle.cli.output import console, heading, on_paper, table
from jostle.cli.views.report import sections
from jostle.plot.document.document import Commands, Document, Facts, Grid, Part, Section, Words
from jostle.plot.document.html import html
from jostle.plot.document.pdf import pdf
from jostle.report.format.values import points, seconds
from jostle_lab.synthetic import Injected, Spec, plant

VOID = {"meta", "img", "br", "link", "hr", "input", "path", "use"}
EVIL = "<script>alert(1)</script>\"'&\x1b[31m"


class Reader(HTMLParser):
    """Checks that elements close in order; keeps tags, attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(scope="module")
def injected(tmp_path_factory: pytest.TempPathFactory) -> Injected:
    spec = Spec(jobs=6, slices=300, length=220, processes=4, users=3, coincidence=0.0, roommates=0)
    return plant(tmp_path_factory.mktemp("injected") / "repository", spec, seed=5)


@pytest.fixture(autouse=True)
def own_console() -> Iterator[None]:
    """It holds the stream of the test that asked first, which is closed after that."""
    console.cache_clear()
    yield
    console.cache_clear()


Run = Callable[..., Done]


@pytest.fixture
def jostle(
    injected: Injected, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Runs the command within this process: the imports are paid for once."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("COLUMNS", "80")

    def run(*words: str) -> Done:
        code = main([words[0], "--repository", str(injected.path), *words[1:]])
        seen = capsys.readouterr()
        return Done(code, seen.out, seen.err)

    return run


@pytest.fixture(scope="module")
def estimated(injected: Injected) -> dict[str, Any]:
    """The output of `estimate` for the job of the reports."""
    console.cache_clear()
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(["estimate", "--repository", str(injected.path), "logger-0000", "--json"]) == 0
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def document(name: str) -> Document:
    """A document of every block but a figure, all texts being `name`."""
    blocks = [
        Words(name, name),
        Commands([(name, name)]),
        Facts([(name, name, name)]),
        Grid([(name, False), ("", False), ("n", True)], [[name, "██··", "1"]]),
    ]
    return Document("Job", name, "red", name, [Part(name, [Section(name, name, blocks)])], name)


def test_the_html_file_is_whole_and_has_the_numbers_of_estimate(
    jostle: Run, estimated: dict[str, Any], tmp_path: Path
) -> None:
    """No column is left out, though the terminal is narrow."""
    path = tmp_path / "report.html"
    done = jostle("report", "logger-0000", "-o", str(path))
    assert done.code == 0, done.err
    assert str(path) in done.out
    assert "next: jostle interference" in done.err
    content = path.read_text()
    assert len(content) < 1 << 20
    read = Reader(content)
    assert not {"script", "link", "iframe", "object", "form"} & set(read.tags)
    for name, value in read.attributes:
        assert not name.startswith("on")
        if name in ("src", "href", "xlink:href"):
            assert (value or "").startswith(("data:", "#")), value
    ids = [value for name, value in read.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert "@import" not in content
    assert "url(http" not in content

    reported = estimated
    first, text = reported["head"], " ".join(read.text)
    assert seconds(first["lost_s"]["value"]) in read.text
    assert f"{points(first['percent']['value'])} %" in read.text
    assert seconds(first["run_s"]) in read.text
    assert seconds(first["intrinsic_s"]) in read.text
    assert (reported["light"] or "undecided") in read.text
    for suspect in reported["attribution"]["suspects"]:
        assert suspect["job"] in text
        assert seconds(suspect["seconds"]["value"]) in read.text
    for part in ("The neighbours", "What the job did", "What was not measured", "Next commands"):
        assert part in read.text
    assert {"correlation", "what it did", "write served at"} <= set(read.text)
    assert {"svg", "figure", "figcaption", "h1", "h2", "h3", "th"} <= set(read.tags)


@pytest.mark.in_turn
def test_the_pdf_has_pages(jostle: Run, estimated: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    done = jostle("report", "logger-0000", "-o", str(path), "--json")
    reported = json.loads(done.out)
    data = path.read_bytes()
    assert data.startswith(b"%PDF")
    assert data.count(b"/Type /Page ") >= 2
    assert reported["file"] == str(path)
    assert reported["bytes"] == len(data)
    assert reported["light"] == estimated["light"]


def test_a_user_gets_no_report_on_anothers_job(jostle: Run, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    done = jostle("report", "logger-0000", "--as-user", "1", "-o", str(path))
    assert done.code == 2
    assert "no job of uid 1" in done.err
    assert not path.exists()


@pytest.mark.in_turn
def test_a_user_sees_no_names_of_other_users_jobs(
    jostle: Run, tmp_path: Path, injected: Injected
) -> None:
    jobs = json.loads(jostle("jobs", "--all", "--json").out)["jobs"]
    own = next(job["uid"] for job in jobs if job["job"] == "logger-0000")
    others = [job["job"] for job in jobs if job["uid"] != own]
    path = tmp_path / "report.html"
    done = jostle("report", "logger-0000", "--as-user", str(own), "-o", str(path))
    assert done.code == 0, done.err
    text = path.read_text()
    assert others
    assert not [name for name in others if name in text]


@pytest.mark.parametrize(
    ("name", "words", "hint"),
    [
        ("report.txt", "ends in neither .html nor .pdf", "-o report.html"),
        ("none/report.html", "does not exist", "mkdir -p"),
        ("there.html", "already exists", "--force"),
        ("folder.html", "is a folder", "report.html"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_any_work(
    jostle: Run, tmp_path: Path, name: str, words: str, hint: str
) -> None:
    (tmp_path / "there.html").write_text("mine")
    (tmp_path / "folder.html").mkdir()
    done = jostle("report", "logger-0000", "-o", str(tmp_path / name))
    assert done.code == 2
    assert words in done.err
    assert hint in done.err.partition("fix:")[2]
    assert (tmp_path / "there.html").read_text() == "mine"


def test_an_unknown_job_gets_the_nearest_names(jostle: Run, tmp_path: Path) -> None:
    done = jostle("report", "loger-0000", "-o", str(tmp_path / "report.html"))
    assert done.code == 2
    assert "logger-0000" in done.err


def test_names_are_text_wherever_they_stand() -> None:
    content = html(document(EVIL))
    assert "<script" not in content
    assert "\x1b" not in content
    assert "script" not in Reader(content).tags
    assert content.count("&lt;script&gt;") >= 10


def test_any_name_fits_a_pdf() -> None:
    assert pdf(document(EVIL)).startswith(b"%PDF")
    assert pdf(document("$x_1$ " + 300 * "long" + " 漢字")).startswith(b"%PDF")


def test_a_view_becomes_sections() -> None:
    with on_paper():
        frame = table(["=name", ">n"])
        frame.add_row("a", "1")
        things = ["first", "", heading("Title", "  note"), frame, "", "last"]
        found = list(sections(things))
    assert [section.title for section in found] == ["", "Title", ""]
    assert found[1].note == "note"
    assert found[1].blocks == [Grid([("name", False), ("n", True)], [["a", "1"]])]
    assert found[2].blocks == [Words("last")]


def test_a_large_file_names_the_figures_that_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from jostle.plot.document import html as writer
    from jostle.plot.document.document import Picture

    monkeypatch.setattr(writer, "markup", lambda *_: "x" * 500_000)
    page = SimpleNamespace(title="a finding", note="", foot="")
    figures = [Picture(page, print), Picture(page, print)]
    content = html(Document("Job", "j", "", "", [Part("p", [Section("", "", figures)])], ""))
    assert content.count("x" * 500_000) == 1
    assert "a finding (figure left out" in content
