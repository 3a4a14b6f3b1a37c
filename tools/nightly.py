#!/usr/bin/env python3
"""nightly.py: runs the checks that take too long for every change, and records when each passed.

    tools/nightly.py [PART...]   these parts; all, if none is named
    tools/nightly.py --today     those that `make check` runs today: one seventh, in turn by date
    tools/nightly.py --list      the parts, their days, and when they last passed

A part that passes gets its line in tools/nightly.tsv: name, date, commit (with `+` where files
differed from it), duration in seconds. The file is committed with the next change. With --today it
is not written where CI is set: a check in a fresh clone must leave it as it is.
A part that has not passed for 30 days is named as LATE, which is no failure.
Exit status: 1 when a part failed; 77 when none failed, but one could not be done here.

Logs: build/nightly/PART.log
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

from again import commit

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "tools/nightly.tsv"
LOGS = ROOT / "build/nightly"
DAYS = 7
LATE_DAYS = 30
#: Most seconds of all parts of one day on two cores.
LIMIT_S = 240
NOT_DONE = 77
PYTHON = ".venv/bin/python"


@dataclass(frozen=True)
class Part:
    """A part of the nightly checks."""

    name: str
    command: str
    #: The day (day of the year modulo 7) on which `make check` runs it; None: only `make nightly`.
    day: int | None = None
    #: Programs that must be installed; `root` means the user.
    needs: tuple[str, ...] = ()
    #: Arguments of the `LabSpec` whose lab must be possible on this machine.
    lab: dict[str, object] = field(default_factory=dict)
    limit_s: int = 900


SITE = {"name": "demo-site", "nodes": 4, "slurm": True, "store": "disk", "size": "2GiB"}
NETWORK = {"name": "demo-network", "fs": "plain", "size": "64MiB"}
#: The files of the tests of the runtime under UBSan are divided among so many parts.
UBSAN = 4
PARTS = (
    Part("demo-site", ".venv/bin/jostle site demo", 0, ("root",), SITE),
    Part("kills-all", f"{PYTHON} tests/receive/test_kill_all.py 20 $RANDOM", 0),
    Part("host-package", f"{PYTHON} -m pytest -q -m nightly tests/house", 0, ("root", "cpack")),
    Part("demo-network", ".venv/bin/jostle topology demo", 1, ("root", "mpirun"), NETWORK),
    Part("docs-labs", f"{PYTHON} -m pytest -q -m nightly tests/docs", 1, ("root",)),
    Part("fuzz-through", f"{PYTHON} tests/hostile/fuzz_through.py --minutes 2", 2),
    Part("kills-repository", f"{PYTHON} -m pytest -q -m nightly tests/hostile", 2),
    Part("lab-proofs", f"{PYTHON} -m pytest -q -m nightly lab/tests/validation", 2, ("root",)),
    Part("kills-receiver", f"{PYTHON} tests/receive/test_kill.py 50 $RANDOM", 2),
    *(
        Part(f"ubsan-{piece}", f"tools/check.sh ubsan-{piece}", 3 + piece, limit_s=1800)
        for piece in range(UBSAN)
    ),
    # Checks that take longer than a day's share. Each check has five seconds for each fuzzer, and
    # one seventh of the tests that are run in turn.
    Part("in-turn", "TEST_TURN= tools/test.sh -m 'in_turn and not nightly'", limit_s=7200),
    Part("fuzzers", "FUZZ_SECONDS=60 tools/check.sh fuzz", limit_s=7200),
    Part("tidy-builds-bench", "tools/check.sh tidy builds bench", limit_s=7200),
    Part("lab-advice", f"{PYTHON} -m pytest -q -m nightly lab/tests", needs=("root", "cc")),
    Part("faults", f"{PYTHON} tests/hostile/test_faults.py", limit_s=7200),
    Part("ubsan-mpi", "tools/check.sh ubsan-mpi", limit_s=3600),
    Part("zoo", f"{PYTHON} tests/zoo/zoo.py --install", limit_s=7200),
    *(
        Part(f"bench-{part}", f"{PYTHON} lab/bench/run.py --quick {part}", limit_s=7200)
        for part in ("serial", "mpi", "lab", "interference", "web")
    ),
)


@dataclass(frozen=True)
class Passed:
    """When a part last passed."""

    date: str
    commit: str
    seconds: str


def read(record: Path | None = None) -> dict[str, Passed]:
    """Return the record; damaged lines are ignored."""
    record = record or RECORD
    text = record.read_text(errors="replace") if record.exists() else ""
    rows = [cells for line in text.splitlines() if len(cells := line.split("\t")) == 4]
    return {name: Passed(*rest) for name, *rest in rows if not name.startswith("#")}


def write(passed: dict[str, Passed]) -> None:
    """Write the record, in the order of the parts; unknown names are dropped."""
    lines = ["# part\tlast passed\tcommit\tseconds (written by tools/nightly.py)"]
    for part in PARTS:
        if each := passed.get(part.name):
            lines.append(f"{part.name}\t{each.date}\t{each.commit}\t{each.seconds}")
    RECORD.write_text("\n".join(lines) + "\n")


def of_day(today: date) -> list[Part]:
    """Return the parts that `make check` runs on a day."""
    return [part for part in PARTS if part.day == today.timetuple().tm_yday % DAYS]


def late(passed: dict[str, Passed], today: date) -> list[str]:
    """Return a line for each part that has not passed for too long."""
    said = []
    for part in PARTS:
        each = passed.get(part.name)
        try:
            days = (today - date.fromisoformat(each.date)).days if each else None
        except ValueError:
            days = None
        if each is None or days is None:
            said.append(f"LATE {part.name} has never passed: tools/nightly.py {part.name}")
        elif days > LATE_DAYS:
            said.append(
                f"LATE {part.name} has not passed for {days} days, last on {each.date} "
                f"({each.commit}): tools/nightly.py {part.name}"
            )
    return said


def missing(part: Part) -> str:
    """Return the requirements of a part that this machine lacks; "" if there are none."""
    if "root" in part.needs and os.geteuid() != 0:
        return "needs root"
    if lacking := [name for name in part.needs if name != "root" and not shutil.which(name)]:
        return f"no {', '.join(lacking)} here"
    if part.lab:
        from jostle_lab.cluster import LabError, LabSpec
        from jostle_lab.cluster.checks import check_machine

        try:
            check_machine(LabSpec(**part.lab))
        except LabError as error:
            return f"{error} {error.hint or ''}".strip()
    return ""


def run(part: Part) -> tuple[int, str]:
    """Run a part with its output in a log; return its status, and the log's last line."""
    if why := missing(part):
        return NOT_DONE, why
    log = LOGS / f"{part.name}.log"
    command = ["timeout", "-s", "INT", "-k", "30", str(part.limit_s), "bash", "-c", part.command]
    environment = os.environ | {
        "CHECK_LOGS": str(LOGS / part.name),  # tools/check.sh may run this, with logs of its own
        "XDG_DATA_HOME": str(LOGS / "home"),  # for the repositories of demos
        "PATH": f"{ROOT / '.venv/bin'}:{os.environ['PATH']}",
    }
    with log.open("w") as file:
        code = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=file, stderr=subprocess.STDOUT, check=False
        ).returncode
    text = log.read_text(errors="replace")
    last = text.strip().rpartition("\n")[2][:100]
    if "pytest" in part.command and code in (0, 5) and not re.search(r"\d+ passed", last):
        return NOT_DONE, last
    if code:
        last += "\n" + "".join(f"    {line}\n" for line in text.splitlines()[-40:])
    return code, last


def run_all(parts: Iterable[Part], keep: bool) -> int:
    """Run parts one after the other; return the exit status."""
    LOGS.mkdir(parents=True, exist_ok=True)
    version = commit(RECORD)
    states: dict[str, list[str]] = {"passed": [], "FAILED": [], "NOT DONE": []}
    for part in parts:
        begin = time.monotonic()
        code, last = run(part)
        seconds = time.monotonic() - begin
        state = {0: "passed", NOT_DONE: "NOT DONE"}.get(code, "FAILED")
        states[state].append(part.name)
        print(f"{part.name:16} {state:8} {seconds:5.0f} s  {last}", flush=True)
        if code == 0 and keep:
            now = Passed(datetime.now(UTC).date().isoformat(), version, f"{seconds:.0f}")
            write(read() | {part.name: now})
    for line in late(read(), datetime.now(UTC).date()):
        print(line, file=sys.stderr)
    # The last line is what `make check` shows.
    print("; ".join(f"{state}: {', '.join(names)}" for state, names in states.items() if names))
    return 1 if states["FAILED"] else NOT_DONE if states["NOT DONE"] else 0


def show() -> None:
    """Print the parts with their days, and the seconds of a day."""
    passed = read()
    for part in sorted(PARTS, key=lambda each: DAYS if each.day is None else each.day):
        each = passed.get(part.name, Passed("never", "-", "-"))
        day = "only make nightly" if part.day is None else f"day {part.day}"
        print(f"{day:18}{part.name:16}{each.date:12}{each.commit:12}{each.seconds:>5} s")


def main() -> int:
    """Run the requested parts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--today", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    known = {part.name: part for part in PARTS}
    if unknown := [name for name in options.parts if name not in known]:
        parser.error(f"no such part: {', '.join(unknown)}; one of {', '.join(known)}")
    if options.list:
        show()
        return 0
    parts = [known[name] for name in options.parts] or list(PARTS)
    if options.today:
        parts = of_day(datetime.now(UTC).date())
    return run_all(parts, keep=not (options.today and os.environ.get("CI")))


if __name__ == "__main__":
    sys.exit(main())
