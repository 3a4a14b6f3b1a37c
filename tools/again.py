#!/usr/bin/env python3
"""again.py: lists tests that needed a second try, in this run of all tests and in the last five.

    tools/again.py [LOGS]      LOGS: build/tests, with the logs of tools/test.sh

The record is LOGS/again.tsv: date, commit, test, how it was tried again; it is not committed. A run
in which no test needed it has one line with `-`. A test that needs a second try in two of five runs
is a defect, of the test or of the product: it is named as such. It does not fail the run, since a
record stays for five runs after the defect is fixed.
"""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

RUNS = 5
#: In so many of these runs.
DEFECT = 2
ALONE = " (alone)"


def tried_again(logs: Path) -> dict[str, str]:
    """Return the tests in the logs, each with the kind of its second try: `at once` or `alone`."""
    found = {}
    for path in sorted(logs.glob("*.log")):
        for line in path.read_text(errors="replace").splitlines():
            if line.startswith("AGAIN "):
                test = line.removeprefix("AGAIN ")
                how = "alone" if test.endswith(ALONE) else "at once"
                found[test.removesuffix(ALONE)] = how
    return found


def commit(*without: Path) -> str:
    """Return the commit that was tested, with `+` where files differ from it; `-` without git.

    Args:
        without: Files that may differ.
    """
    said = []
    others = ["--", ":/", *(f":(exclude){path}" for path in without)]
    for words in (["rev-parse", "--short", "HEAD"], ["status", "--porcelain", "-uno", *others]):
        try:
            done = subprocess.run(["git", *words], capture_output=True, text=True, check=False)
        except OSError:
            return "-"
        if done.returncode:
            return "-"
        said.append(done.stdout.strip())
    return said[0] + ("+" if said[1] else "")


def read(record: Path) -> list[list[str]]:
    """Return the lines of the record; damaged ones are ignored."""
    text = record.read_text(errors="replace") if record.exists() else ""
    return [cells for line in text.splitlines() if len(cells := line.split("\t")) == 4]


def main() -> None:
    """Write this run's lines, and print the tests of the last runs."""
    logs = Path(sys.argv[1] if len(sys.argv) > 1 else "build/tests")
    date, version = datetime.now(UTC).isoformat(timespec="microseconds"), commit()
    tests = tried_again(logs) or {"-": "-"}
    record = logs / "again.tsv"
    with record.open("a") as file:
        file.writelines(f"{date}\t{version}\t{test}\t{how}\n" for test, how in tests.items())
    lines = read(record)
    runs = list(dict.fromkeys(line[0] for line in lines))[-RUNS:]
    seen: dict[str, set[str]] = {}
    for run, _, test, _ in lines:
        if run in runs and test != "-":
            seen.setdefault(test, set()).add(run)
    if not seen:
        return
    print(
        "Tests that needed a second try, with the number of such runs among the last "
        f"{len(runs)}; x: in this run"
    )
    for test, when in sorted(seen.items(), key=lambda item: (-len(item[1]), item[0])):
        print(f"{len(when):>3} {'x' if test in tests else ' '} {test}")
    for test, when in sorted(seen.items()):
        if len(when) >= DEFECT:
            print(f"DEFECT of the test or of the product, to be found and fixed: {test}")


if __name__ == "__main__":
    main()
