"""Records the output of every subcommand with `--json`, to compare two versions of jostle.

    python tools/answers.py FOLDER REPOSITORY...
    diff -r BEFORE AFTER

A change that only moves or renames code must not change any output. Files are named after the
repository and the command line; errors are recorded as output, too. Nothing is written to a
repository.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

JOBS_EACH = 4
TABLES = ["jobs", "processes", "mounts", "slices", "segments", "tokens"]


def main(arguments: list[str]) -> int:
    """Write one file per repository and command line; return the exit status."""
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder, *repositories = (Path(each).absolute() for each in arguments)
    folder.mkdir(parents=True)
    asked = [(each, words) for each in repositories for words in questions(each)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for (repository, words), text in zip(
            asked, pool.map(lambda one: answer(folder, *one), asked), strict=True
        ):
            name = re.sub(r"[^A-Za-z0-9.-]+", "_", " ".join(words))
            (folder / f"{repository.name} {name}").write_text(text)
    print(f"{len(asked)} answers in {folder}")
    return 0


def questions(repository: Path) -> list[list[str]]:
    """Return the command lines for one repository: each subcommand, for a few of its jobs."""
    listed = json.loads(run(repository, ["jobs", "--all", "--json"]).stdout)
    names = sorted(job["job"] for job in listed["jobs"])
    chosen = names[:: max(1, len(names) // JOBS_EACH)][:JOBS_EACH]
    asked = [["jobs", "--all"], ["matrix"], ["matrix", "--as-user", "1001"], ["study", "list"]]
    asked += [["matrix", "--by", "kind"], ["predict", *chosen[:2]]]
    asked += [["trends"], ["targets"], ["advise", "--site"], ["replay"], ["top", "--once"]]
    asked += [["topology", "show"]]
    asked += [["study", "show", path.name] for path in (repository / "studies").glob("*")]
    asked += [["repository", "check"], ["compare", *chosen[:2]], ["timeline", *chosen]]
    for job in chosen:
        asked += [[verb, job] for verb in ("digest", "background", "neighbours", "estimate")]
        asked += [["digest", job, "--segments"], ["timeline", job, "--metric", "cpu"]]
        asked += [["interference", job], ["interference", job, "--as-user", "1001"]]
        asked += [["advise", job]]
        asked += [["estimate", job, "--method", "thesis"], ["neighbours", job, "--as-user", "1001"]]
    return asked + [["export", table, "--format", "json"] for table in [*TABLES, *chosen[:1]]]


def answer(folder: Path, repository: Path, words: list[str]) -> str:
    """Return status, output and errors of one command line, and the file of an export."""
    out = folder / f".{repository.name}-{abs(hash(tuple(words)))}"
    export = ["--out", str(out)] if words[0] == "export" else []
    done = run(repository, [*words, *export, "--json"])
    text = f"status {done.returncode}\n{done.stdout}{done.stderr}".replace(str(out), "FILE")
    if out.exists():
        text += "\n".join(sorted(line.rstrip(",") for line in out.read_text().splitlines()))
        out.unlink()
    return text


def run(repository: Path, words: list[str]) -> subprocess.CompletedProcess[str]:
    """Run the command in this environment, with COLUMNS fixed."""
    environment = {
        **os.environ,
        "COLUMNS": "100",
        "TZ": "UTC",
        "JOSTLE_REPOSITORY": str(repository),
    }
    return subprocess.run(
        [sys.executable, "-m", "jostle.cli", *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
