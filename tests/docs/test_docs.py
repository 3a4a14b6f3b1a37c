"""The documentation is correct: its commands run, its links resolve, its lists are complete.

Commands are in fenced blocks. In a ```console block a line that begins with `$ ` is a command
and what follows is output that must appear (`...` stands for anything); a ```sh block is a script.
The blocks of a page run in order in one shell, in a folder, a home and a spool of their own. A
block that cannot run here says so: ```sh no-run: reason. ```console status=N: the last command
ends with N. ```c save=NAME: the reader saves it as NAME, so do we.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import click
import pytest

from jostle.cli.main import cli
from jostle_lab.cluster import LabError, LabSpec
from jostle_lab.cluster.checks import check_machine
from jostle_lab.cluster.lab import down as take_down
from jostle_lab.cluster.state import names as lab_names
from ready import in_front
from torchrun import torchrun

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# The lab's pages are next to its code; one index has them all.
BOTH = [DOCS, ROOT / "lab/docs"]
PAGES = [
    ROOT / "README.md",
    *sorted(page for docs in BOTH for page in docs.glob("tutorials/*.md")),
    *sorted(page for docs in BOTH for page in docs.glob("how-to/*.md")),
]
READMES = [
    ROOT / name
    for name in subprocess.run(
        ["git", "ls-files", "*/README.md"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    if not name.startswith("docs/")
]
TEXTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted(page for docs in BOTH for page in docs.rglob("*.md")),
    *READMES,
]
# What the pages' mpirun needs on a test machine: root, few cores, and ranks that share them kindly.
MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
FENCE = re.compile(r"^```(\w*)[ ]*(.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Command:
    """A command of a page, the status it must end with, and the output the page shows."""

    text: str
    status: int = 0
    shown: list[str] = field(default_factory=list)


def commands(page: Path) -> Iterator[Command]:
    """The commands of a page in order."""
    for language, note, body in FENCE.findall(page.read_text()):
        if saved := re.fullmatch(r"save=(\S+)", note):
            yield Command(f"cat >{shlex.quote(saved[1])} <<'END OF FILE'\n{body}END OF FILE")
        if language not in ("console", "sh"):
            continue
        if note.startswith("no-run"):
            assert re.fullmatch(r"no-run: \S.*", note), f"{page.name}: no-run needs a reason"
            continue
        status = re.fullmatch(r"status=(\d+)|", note)
        assert status, f"{page.name}: unknown words behind the fence: {note}"
        found = [Command(body)] if language == "sh" else list(session(body))
        found[-1].status = int(status[1] or 0)
        yield from found


def session(body: str) -> Iterator[Command]:
    """The commands of a console block with their output."""
    command: Command | None = None
    for line in body.splitlines():
        if line.startswith("$ "):
            if command is not None:
                yield command
            command = Command(line[2:])
        elif command is not None:
            command.shown.append(line)
    if command is not None:
        yield command


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _environment() -> dict[str, str]:
    """The environment of a reader, without the variables of our own tests."""
    ours = ("JOSTLE", "SLURM", "PBS", "LSB", "LD_PRELOAD")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    return kept | {"COLUMNS": "120", "LC_ALL": "C.UTF-8", **MPI}


@pytest.fixture(scope="session")
def command() -> Iterator[Path]:
    """A folder with a `jostle` that is forked from a Python with all imports."""
    with tempfile.TemporaryDirectory(prefix="jostle-test-") as folder:
        Path(folder).chmod(0o755)
        with in_front(Path(folder), ROOT / ".venv/bin/jostle", _environment()) as made:
            yield made


def with_torchrun(folder: Path) -> Path:
    """A folder with a `torchrun` that works here."""
    if not torchrun():
        pytest.skip("no PyTorch with gloo here")
    folder.mkdir()
    script = folder / "torchrun"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(torchrun())} "$@"\n')
    script.chmod(0o755)
    return folder


def run_page(found: list[Command], folder: Path, bins: list[Path]) -> list[tuple[int, str]]:
    """Runs the commands in one shell, found in `bins` first; gives status and output of each."""
    outputs = [folder / f"output-{number}" for number in range(len(found))]
    # Braces, not parentheses: `cd` and `export` must hold for the commands that follow.
    script = "".join(
        f"{{ {command.text.rstrip()}\n}} >{output} 2>&1 </dev/null\necho $? >>{folder}/status\n"
        for command, output in zip(found, outputs, strict=True)
    )
    work = folder / "work"
    work.mkdir()
    environment = _environment() | {
        "PATH": ":".join([*map(str, bins), os.environ["PATH"]]),
        "HOME": str(folder / "home"),
        "XDG_DATA_HOME": str(folder / "data"),
        "JOSTLE_SPOOL": str(folder / "spool"),
    }
    if any(command.text.startswith("jostle lab up") for command in found):
        del environment["JOSTLE_SPOOL"]  # nodes have spools of their own
    subprocess.run(["bash", "-c", script], cwd=work, env=environment, timeout=900, check=False)
    statuses = [int(line) for line in (folder / "status").read_text().split()]
    return [
        (status, output.read_text(errors="replace"))
        for status, output in zip(statuses, outputs, strict=True)
    ]


def need_labs(found: list[Command]) -> None:
    """Skips a page whose labs cannot come up here, or are up already."""
    for command in found:
        words = shlex.split(command.text) if command.text.startswith("jostle lab up") else []
        if not words:
            continue
        values = dict(itertools.pairwise(words))
        name = values.get("--name", "lab")
        spec = LabSpec(name=name, fs=values.get("--fs", "sshfs"), slurm="--slurm" in words)
        if os.geteuid() != 0:
            pytest.skip("labs need root")
        try:
            check_machine(spec)
        except LabError as error:
            pytest.skip(f"{error} ({error.hint})")
        if name in lab_names():
            pytest.skip(f"a lab `{name}` is up: jostle lab down --name {name}")


@pytest.fixture
def labs_go() -> Iterator[None]:
    """Takes the labs down that a page has left; there is one only when the page failed."""
    before = lab_names()
    yield
    for name in (set(lab_names()) - set(before)) & {"lab", "batch", "site"}:
        take_down(name)


def changed_pages() -> set[str]:
    """Names of pages that differ from the last commit, or were changed by those of the last day."""
    questions = ("diff --name-only HEAD", "log --since=1.day --diff-filter=M --name-only --format=")
    done = [
        subprocess.run(["git", *words.split()], cwd=ROOT, capture_output=True, text=True)
        for words in questions
    ]
    return {name for each in done for name in each.stdout.split() if name.endswith(".md")}


CHANGED = changed_pages()
#: What everybody reads first.
ALWAYS = {"README", "first-profile"}


def parameter(page: Path) -> object:
    """A page as a parameter; one that brings a lab up is marked: it takes minutes.

    The others are run in turn, but for those that were changed.
    """
    marks = []
    if any(each.text.startswith("jostle lab up") for each in commands(page)):
        marks.append(pytest.mark.nightly)
    elif page.stem not in ALWAYS and str(page.relative_to(ROOT)) not in CHANGED:
        marks.append(pytest.mark.in_turn)
    return pytest.param(page, id=page.stem, marks=marks)


@pytest.mark.parametrize("page", map(parameter, PAGES))
def test_commands(page: Path, command: Path, tmp_path: Path, labs_go: None) -> None:
    """Every command ends as it should and prints what the page shows."""
    found = list(commands(page))
    if not found:
        pytest.skip("the page has no commands to run")
    need_labs(found)
    words = {word for command in found for word in command.text.split()}
    for tool in ("mpicc", "mpirun", "mpicc.mpich", "mpirun.mpich", "hyperfine"):
        if tool in words and shutil.which(tool) is None:
            pytest.skip(f"no {tool} here")
    if page.stem == "ask-with-spark" and importlib.util.find_spec("pyspark") is None:
        pytest.skip("no pyspark here")
    if "test_sorting.py" in words and importlib.util.find_spec("pytest_benchmark") is None:
        pytest.skip("no pytest-benchmark here")
    bins = [ROOT / ".venv/bin", ROOT / "build/native"]
    if page.stem == "profile-a-training-job":
        bins.insert(0, with_torchrun(tmp_path / "bin"))
    if page.stem != "first-profile":  # what is read first starts as it does for its reader
        bins.insert(0, command)
    for each, (status, output) in zip(found, run_page(found, tmp_path, bins), strict=True):
        assert status == each.status, f"{each.text}\n{output}"
        place, text = 0, squeezed(output)
        for line in each.shown:
            for piece in filter(None, map(str.strip, squeezed(line).split("..."))):
                at = text.find(piece, place)
                assert at >= 0, f"`{piece}` is not in the output of\n{each.text}\n{output}"
                place = at + len(piece)


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as a forge makes them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page: Path) -> None:
    """Every relative link leads to a file, and to a heading where it names one."""
    for link in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", page.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), f"{link} leads nowhere"
        if anchor:
            assert anchor in anchors(target.read_text()), f"{link} names no heading"


def test_index() -> None:
    """Every page can be found from docs/README.md: decisions by their own list, which it links."""
    decisions = DOCS / "adr"
    for page in (page for docs in BOTH for page in docs.rglob("*.md")):
        folder = decisions if page.parent == decisions else DOCS
        linked = f"({os.path.relpath(page, folder)})" in (folder / "README.md").read_text()
        assert page.name == "README.md" or linked, page
    assert "(adr/README.md)" in (DOCS / "README.md").read_text()


def leaves(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """All commands of a tree that do something, with their full names."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for verb in command.list_commands(context):
            child = command.get_command(context, verb)
            assert child is not None
            yield from leaves(child, f"{name} {verb}")
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield name, command


def options(command: click.Command) -> set[str]:
    return {
        word
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for word in (*parameter.opts, *parameter.secondary_opts)
    }


def _verbs(names: Iterable[str]) -> list[str]:
    """The verbs of full names in order, each once."""
    return list(dict.fromkeys(name.split()[1] for name in names))


def test_command_reference() -> None:
    """command.md and the lab's have exactly the verbs and options of the command."""
    tree = dict(leaves(cli, "jostle"))
    documented: dict[str, str] = {}
    for docs in BOTH:
        text = (docs / "reference/command.md").read_text()
        page = {
            head[1]: section
            for section in re.split(r"^#{2,3} ", text, flags=re.MULTILINE)
            if (head := re.match(r"`(jostle(?: [a-z][a-z-]*)+)[ `]", section))
        }
        assert not documented.keys() & page.keys()
        assert _verbs(page) == _verbs(name for name in tree if name in page)
        documented |= page
    assert sorted(documented) == sorted(tree)
    for name, command in tree.items():
        items = re.findall(r"^- ((?:`[^`]*`(?:, )?)+)", documented[name], re.MULTILINE)
        words = set(re.findall(r"`(--?[a-z][a-z-]*)", " ".join(items)))
        assert words == options(command), name
    intro = (DOCS / "reference/command.md").read_text().split("\n## ")[0]
    assert options(cli) <= set(re.findall(r"`(--?[a-z][a-z-]*)", intro))


def test_launcher_reference() -> None:
    """command.md has exactly the options of jostle-run."""
    text = (DOCS / "reference/command.md").read_text().split("## `jostle-run")[1]
    source = (ROOT / "runtime/launcher/jostle-run.c").read_text()
    known = set(re.findall(r'\{"([a-z]+)", (?:no|required)_argument', source))
    assert set(re.findall(r"`--([a-z]+)", text)) == known


def test_configuration_reference() -> None:
    """configuration.md has the schema's settings, and every variable that the runtime reads."""
    text = (DOCS / "reference/configuration.md").read_text()
    settings = tomllib.loads((ROOT / "schema/settings.toml").read_text())["setting"]
    runtime = text.split("## The runtime")[1].split("### ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (?:`(\w+)`|-) \|", runtime, re.MULTILINE)
    assert rows == [(setting["key"], setting.get("variable", "")) for setting in settings]
    source = (ROOT / "runtime/src/config.c").read_text()
    source += (ROOT / "runtime/src/process/identity.c").read_text()
    for name in set(re.findall(r'"(JOSTLE\w*|[A-Z]+_JOB_?ID)"', source)):
        assert f"`{name}`" in text, name


def test_mpi_reference() -> None:
    """mpi-calls.md names every MPI function that is counted, in the row of its class."""
    text = (DOCS / "reference/mpi-calls.md").read_text()
    rows = dict(re.findall(r"^\| `(mpi(?:io)?_\w+)` \| (.*)$", text, re.MULTILINE))
    schema = tomllib.loads((ROOT / "schema/mpi_calls.toml").read_text())
    header = (ROOT / "runtime/include/jst_mpi.h").read_text()
    metrics = dict(re.findall(r"^ +X\((\w+), +(\w+),", header, re.MULTILINE))
    for entry in [*schema["calls"], *schema["collectives"]]:
        if entry["class"] == "NONE":
            continue
        row = rows[metrics[entry["class"]].lower()]
        for name in entry["names"].split():
            assert re.search(rf"\b{name}\b", row), f"{name} is not in the row of {entry['class']}"


def test_map() -> None:
    """Every file and folder that CONTRIBUTING.md's map names is there."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    rows = text.split("## Where do I change it?")[1].split("\n## ")[0]
    paths = {name for name in re.findall(r"`([\w./-]+)`", rows) if "/" in name}
    assert len(paths) > 30
    for name in paths:
        assert any(
            (ROOT / place / name).exists() for place in (".", "src/jostle", "lab/src/jostle_lab")
        ), name


def test_dependencies() -> None:
    """The decision on dependencies names every pinned package."""
    text = (DOCS / "adr/0007-dependencies.md").read_text()
    names = re.findall(r"^([\w.-]+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    assert names
    for name in names:
        pattern = re.escape(name).replace(r"\-", "[-_.]")
        assert re.search(rf"\b{pattern}\b", text, re.IGNORECASE), name
