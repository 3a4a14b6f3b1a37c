#!/usr/bin/env python3
"""Reproduces the papers' figures and tables, and writes the page that compares them.

    lab/bench/papers/reproduce.py list                  what remakes which figure, and what is done
    lab/bench/papers/reproduce.py run [EXPERIMENT]...   measures (all: four hours)
    lab/bench/papers/reproduce.py show [EXPERIMENT]...  draws what was measured, and writes the page
    lab/bench/papers/reproduce.py page [--check]        writes docs/measurements/papers.md

    --repository DIR     where results are kept between calls [build/papers]
    --repetitions N      of studies, instead of the number in the study; more later adds to them

reproduce.toml lists what remakes what. `run` can be interrupted: it continues where it was.
"""

from __future__ import annotations

import argparse
import datetime
import fnmatch
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # lab/bench

from papers import cells

ROOT = Path(__file__).resolve().parents[3]
ROWS = ROOT / "lab/bench/papers/reproduce.toml"
PAGE = ROOT / "docs/measurements/papers.md"
PICTURES = ROOT / "docs/measurements/papers"
RESULTS = PICTURES / "results.json"

#: Variables that name the libraries of other profilers, as for lab/bench/run.py.
PROFILERS = ("MPIP_PRELOAD", "IPM_PRELOAD", "DARSHAN_MPI_PRELOAD")

#: How a remade figure compares with the printed one.
LABELS = {
    "reproduced": "sign and order as printed, sizes within 10 points",
    "order reproduced": "who loses more is as printed, sizes are not, or cannot be compared",
    "not reproduced": "an order, a sign or an effect that is printed does not appear",
    "undecided (noise)": "runs differ more than what is printed",
    "arithmetic only": "computed from printed or made-up data: nothing was measured",
    "not here": "cannot be done on this machine",
}

WAYS = ("table", "experiment", "tests", "page", "full", "obsolete")

Table = dict[str, Any]


def rows_of(file: Path = ROWS) -> Table:
    """Read the file that assigns experiments to printed figures.

    Returns:
        "experiment" (by name) and "paper" (a list, each with its rows in "row").

    Raises:
        SystemExit: A row has no or several experiments, or names something that does not exist.
    """
    content = tomllib.loads(file.read_text())
    experiments = {each["name"]: each for each in content["experiment"]}
    for paper in content["paper"]:
        for row in paper["row"]:
            ways = {"table", "experiment", "tests", "page", "full", "obsolete"} & row.keys()
            problem = None
            unknown = set(experiments_of(row)) - experiments.keys()
            if len(ways) != 1:
                problem = f"has {len(ways)} of {', '.join(WAYS)}; needs one"
            elif unknown:
                problem = f"names the experiment {', '.join(unknown)}, which is not there"
            elif "table" in row and not cells.chosen_system(row["table"]):
                problem = f"names the table {row['table']}, of which printed.csv has nothing"
            elif ({"experiment", "tests", "page"} & row.keys()) and row.get("label") not in LABELS:
                problem = f"needs a label: {', '.join(LABELS)}"
            elif "full" in row and "why" not in row:
                problem = "does not say why it cannot be done here"
            for path in [*row.get("tests", []), *page_of(row)]:
                if not (ROOT / path).exists():
                    problem = f"names {path}, which is not there"
            if problem:
                sys.exit(f"{file.name}: {paper['name']}, {row['printed']}: {problem}.")
    return {"experiment": experiments, "paper": content["paper"]}


def experiments_of(row: Table) -> list[str]:
    """Return the experiments whose measurements a row shows."""
    if "table" in row:
        return list(row["experiments"])
    return [row["experiment"]] if "experiment" in row else []


def page_of(row: Table) -> list[str]:
    """Return the page that a row names, from the root of the project."""
    return [f"docs/measurements/{row['page']}"] if "page" in row else []


def results() -> Table:
    """Return the last shown results, by experiment; empty before the first time."""
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


# ---- measuring ----


def words(experiment: Table, key: str, home: Path) -> list[str]:
    """Return a command of an experiment with its placeholders filled in."""
    folder = str(home / experiment.get("of", experiment["name"]))
    return ["jostle", *(word.replace("@dir@", folder) for word in experiment[key])]


def run(experiment: Table, home: Path, repetitions: int | None) -> bool:
    """Measure an experiment. Return whether it succeeded; its own messages name errors."""
    if "of" in experiment:
        print(f"\n{experiment['name']}: shows what {experiment['of']} measured")
        return True
    before = experiment.get("before")
    if before and subprocess.run(before, cwd=ROOT, check=False).returncode:
        return False
    argv = words(experiment, "run", home)
    if argv[1] == "study":
        argv += ["--repository", str(home / "repository")]
        argv += ["--repetitions", str(repetitions)] if repetitions else []
    if argv[1] == "overhead":
        argv += [f"--alongside={os.environ[name]}" for name in PROFILERS if os.environ.get(name)]
    print(f"\n{experiment['name']}: {' '.join(argv)}", flush=True)
    if "show" in experiment:
        return subprocess.run(argv, cwd=ROOT, check=False).returncode == 0
    folder = home / experiment["name"]
    folder.mkdir(parents=True, exist_ok=True)
    argv = drawing(argv, folder)
    done = subprocess.run(argv, cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True)
    if done.stdout:
        (folder / "shown.json").write_text(done.stdout)
    return done.returncode == 0


def drawing(argv: list[str], folder: Path | str) -> list[str]:
    """Return a command that also draws into a folder."""
    return [*argv, "--plot", str(folder), "--format", "svg"]


def printed(experiment: Table, home: Path, place: str) -> str | None:
    """Draw the figures of a measurement and return its JSON; None: it was not measured yet."""
    name = experiment["name"]
    if "show" not in experiment:
        kept = home / name / "shown.json"
        if kept.exists():
            return kept.read_text()
        print(f"{name}: not run yet")
        return None
    argv = words(experiment, "show", home)
    if argv[1] == "study":
        argv += ["--repository", str(home / "repository")]
    done = subprocess.run(
        drawing(argv, place), cwd=ROOT, check=False, capture_output=True, text=True
    )
    if done.returncode:
        print(f"{name}: {done.stderr.strip().splitlines()[0]}")
        return None
    return done.stdout


def begun_at(home: Path, study: str) -> str:
    """Return when a study began, to the minute, UTC."""
    plan = home / "repository" / "studies" / study / "plan.json"
    return f"{datetime.datetime.fromtimestamp(plan.stat().st_mtime, datetime.UTC):%Y-%m-%d %H:%M}"


def show(experiment: Table, wanted: set[str], home: Path) -> Table | None:
    """Draw the measured results, and store the figures that rows need.

    Returns:
        Date, number of runs and version of the measurement, and each figure's file and finding;
        None if it was not measured yet.
    """
    with tempfile.TemporaryDirectory() as place:
        text = printed(experiment, home, place)
        if text is None:
            return None
        content = json.JSONDecoder().raw_decode(text)[0]
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        if content.get("cells"):
            fs = experiment.get("fs", "sshfs")
            begun = begun_at(home, content["study"])
            cells.keep(experiment["name"], fs, begun, content["cells"])
        shutil.rmtree(PICTURES / experiment["name"], ignore_errors=True)  # what was drawn before
        figures = []
        for figure in content["figures"]:
            drawn = next(Path(file) for file in figure["files"] if file.endswith(".svg"))
            if any(fnmatch.fnmatch(drawn.stem, name) for name in wanted):
                target = PICTURES / experiment["name"] / drawn.name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(drawn.read_bytes())
                figures.append({"name": drawn.stem, "finding": figure["title"]})
    return {
        "date": today,
        "runs": content.get("runs"),
        "planned": content.get("planned"),
        "figures": figures,
        "laws": [law_text(law) for law in content.get("laws", [])],
    }


def law_text(law: Table) -> str:
    """Return in one line whether a law of the papers holds."""
    verdict = {True: "holds", False: "does not hold", None: "undecided"}[law["holds"]]
    return f"*{law['name']}* {verdict}: {law['statement']} Goal: {law['goal']}."


# ---- the page ----

HEAD = """# The papers' figures and tables, remade

Every figure and table of the five papers that jostle follows: how it was remade here, or why not. A
figure from the lab of one machine with two cores cannot have the printed numbers. It can have the
printed order: who loses, who wins, and where it turns. `lab/bench/papers/reproduce.toml` says what
remakes what; `lab/bench/papers/reproduce.py run`, then `show`, measures and writes this page again.

Files lay on SSHFS or on CephFS. SSHFS is one file server with one queue behind one link. The papers
reason with metadata servers, object servers, locks and caches of clients: SSHFS has none of these,
CephFS has all.

Where a paper's text prints losses, cells are compared one by one, by the rule below, and the row
counts in how many of them sign, order and size agree; the [tables](#cell-by-cell) show all cells.
The papers' pictures themselves are not at hand: what only a picture shows is not compared. The
labels of the other rows are by who compared the figures.

"""


def cell(row: Table, shown: Table) -> str:
    """Return the page's text on one printed figure: its label here, or why it is not remade."""
    text = f" {row['text']}." if "text" in row else ""
    if "tests" in row:
        names = ", ".join(f"`{name}`" for name in row["tests"])
        return f"**{row['label']}**, by {names}.{text}"
    if "page" in row:
        return f"**{row['label']}**: [record]({row['page']}).{text}"
    if "full" in row:
        return f"**not here.** {row['why']} Full-scale study: `{row['full']}`.{text}"
    if "obsolete" in row:
        return f"**nothing to remake.** {row['obsolete']}{text}"
    figures = {
        name: [
            figure
            for figure in shown.get(name, {}).get("figures", [])
            if any(fnmatch.fnmatch(figure["name"], each) for each in row["plots"])
        ]
        for name in experiments_of(row)
    }
    if "table" in row:
        pictures = [f"[{name}](#{name})" for name, some in figures.items() if some]
        seen = f" Pictures: {', '.join(pictures)}." if pictures else ""
        return f"{cells.sentence(row['table'], row['experiments'])}.{seen}{text}"
    name = row["experiment"]
    if not figures[name]:
        return f"**not remade yet**; its experiment is [{name}](#{name}).{text}"
    first, *more = (figure["finding"] for figure in figures[name])
    others = f" ({len(more)} more picture{'s' if len(more) > 1 else ''})" if more else ""
    return f"**{row['label']}**, [{name}](#{name}): {first}{others}.{text}"


def counted(rows: Table) -> list[str]:
    """Return a table: how many rows have each label, on each file system where cells decide it."""
    every = [row for paper in rows["paper"] for row in paper["row"]]
    tables = [row for row in every if "table" in row]
    columns = {
        name: [
            cells.label_of(cells.compared(row["table"], row["experiments"], fs)) for row in tables
        ]
        for fs, name in cells.FILE_SYSTEMS.items()
    }
    columns["other rows"] = [
        "not here" if "full" in row else row["label"]
        for row in every
        if not {"obsolete", "table"} & row.keys()
    ]
    lines = ["| label | meaning | " + " | ".join(columns) + " |"]
    lines.append("|---|---|" + "---|" * len(columns))
    meanings = LABELS | {"": "no cell that is printed was measured"}
    for label, meaning in meanings.items():
        numbers = " | ".join(str(given.count(label)) for given in columns.values())
        lines.append(f"| {label} | {meaning} | {numbers} |")
    return lines


def cells_section(rows: Table) -> list[str]:
    """Return the tables of all cells, and those of cells that no paper prints."""
    lines = ["## Cell by cell", "", cells.RULE, ""]
    for paper in rows["paper"]:
        for row in paper["row"]:
            if "table" in row:
                lines += cells.section(row["table"], row["experiments"])
    for name, experiment in rows["experiment"].items():
        fs = experiment.get("fs", "sshfs")
        if "unprinted" in experiment and cells.measured([name], fs):
            lines += [f"### {experiment['unprinted']}", ""]
            lines += [*cells.plain_table([name], fs), ""]
    return lines


def page(rows: Table, shown: Table) -> str:
    """Return the page."""
    lines = [HEAD.rstrip(), "", *counted(rows), ""]
    for paper in rows["paper"]:
        lines += [f"## {paper['name']}", "", f"{paper['title']}.", ""]
        lines += ["| printed | what it shows | here |", "|---|---|---|"]
        for row in paper["row"]:
            lines.append(f"| {row['printed']} | {row['shows']} | {cell(row, shown)} |")
        lines.append("")
    lines += [*cells_section(rows), "## Experiments", ""]
    for name, experiment in rows["experiment"].items():
        command = shlex.join(experiment.get("run") or experiment["show"]).replace("@dir@", "DIR")
        lines += [f"### {name}", "", f"Command: `jostle {command}`."]
        if "full" in experiment:
            lines.append(f"At full size on a cluster: `jostle study run {experiment['full']}`.")
        lines.append(f"Differs from the papers: {experiment['differs']}.")
        result = shown.get(name)
        if result is None:
            lines += ["Not run yet.", ""]
            continue
        count = f"; {result['runs']} of {result['planned']} runs" if result["runs"] else ""
        lines += [f"Shown {result['date']}{count}.", ""]
        lines += [*(f"- {law}" for law in result["laws"]), ""] if result["laws"] else []
        for figure in result["figures"]:
            lines += [f"![{figure['finding']}](papers/{name}/{figure['name']}.svg)", ""]
    return "\n".join(lines).rstrip() + "\n"


# ---- the command ----


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("list", "run", "show", "page"))
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT")
    parser.add_argument("--repository", type=Path, default=ROOT / "build/papers", metavar="DIR")
    parser.add_argument("--repetitions", type=int, metavar="N")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if it is stale")
    given = parser.parse_args()
    given.repository = given.repository.resolve()
    rows = rows_of()
    unknown = set(given.experiments) - rows["experiment"].keys()
    if unknown:
        known = ", ".join(rows["experiment"])
        parser.error(f"no experiment {', '.join(sorted(unknown))}; there are: {known}")
    chosen = [rows["experiment"][name] for name in given.experiments or rows["experiment"]]
    given.repository.mkdir(parents=True, exist_ok=True)
    if given.what == "run":
        went = [run(each, given.repository, given.repetitions) for each in chosen]
        print("\nnext: lab/bench/papers/reproduce.py show")
        return 0 if all(went) else 1
    shown = results()
    if given.what == "show":
        for each in chosen:
            wanted = {
                name
                for paper in rows["paper"]
                for row in paper["row"]
                if each["name"] in experiments_of(row)
                for name in row["plots"]
            }
            result = show(each, wanted, given.repository)
            if result:
                shown[each["name"]] = result
        PICTURES.mkdir(parents=True, exist_ok=True)
        RESULTS.write_text(json.dumps(shown, indent=1, ensure_ascii=False) + "\n")
    text = page(rows, shown)
    if given.what == "list":
        for paper in rows["paper"]:
            for row in paper["row"]:
                print(f"{paper['name']:13} {row['printed']:52} {cell(row, shown)[:90]}")
    elif given.check:
        if PAGE.read_text() != text:
            fix = "lab/bench/papers/reproduce.py page"
            print(f"docs/measurements/papers.md is stale.\n  fix: {fix}")
            return 1
    else:
        PAGE.write_text(text)
        print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
