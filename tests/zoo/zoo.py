"""Runs real programs without jostle, under strace and under jostle, and compares the results.

    zoo.py [NAME...]        the programs of programs.toml, or some of them
    zoo.py --smoke          those marked `smoke`: quick, and on most machines
    zoo.py --install        all, and first their Debian packages (needs root): `make zoo-nightly`

Each program runs twice bare, once profiled and once or twice under strace, each time in the same
folder with the same content. What differs between the two bare runs is not compared. What a run
leaves behind (processes, files in /tmp, files that no reader understands) counts as well.

How the counts are compared, on the files of that folder (a file system of its own):

    calls     The program uses system calls through libc: reads, writes, seeks and syncs, and the
              bytes of both, are those that strace saw; no call was counted for a stream.
    bytes     Some of its processes use streams (stdio), which gather bytes: all bytes written are
              those that strace saw, but for the share `unseen` (putc as an inlined macro is not
              called at all); calls, and bytes read without streams, are at most those.
    bounds    Some of its calls cannot be seen by a preload, for the reason given: nothing is
              counted that strace did not see.
    none      strace cannot trace it, or no two runs are alike, for the reason given.

Opened files lie between what strace saw without and with directories (opendir counts as metadata).
"""

from __future__ import annotations

import argparse
import ctypes
import difflib
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "runtime"))

import peek  # noqa: E402
from tracing import SYSTEM_CALLS, Traced, add_up  # noqa: E402

from jostle.reader import ReadRequest, find_profiles, read_profiles  # noqa: E402

_PROFILE = re.compile(r".+\.(jst|jss|jsp)")
_RANDOM = re.compile(r"0x[0-9a-f]+|\d+")
#: Two runs may take the same time to the hundredth, and a third another.
_DURATION = re.compile(r"\d+(?:\.\d+)? ?m?s\b")
#: What the loader or jostle would print.
_OURS = re.compile(r"^.*(?:ERROR: ld\.so|libjostle|jostle(?:-run)?:).*$", re.M)
_SLICE = "100ms"
_END_S = 5.0  # that processes which a program leaves may take to end


@dataclass(frozen=True)
class Program:
    """One row of the table.

    Attributes:
        name: Name of the row.
        needs: Commands and files that it needs.
        packages: Debian packages that hold them.
        setup: Shell script that fills the folder, once and never profiled.
        run: Shell script that is compared.
        counts: How counts are compared: calls, bytes, bounds or none.
        why: Why not by calls.
        unseen: Share of the bytes written that may be missing (0 to 1), by inlined characters.
        random: Share by which the bytes written differ from run to run (0 to 1): times in decimals.
        root: Whether it needs root.
        privileges: Whether it gains privileges by exec; strace then traces without a filter.
        smoke: Whether it belongs to the quick part.
        seconds: Longest time of a run.
    """

    name: str
    run: str
    needs: list[str] = field(default_factory=list)
    packages: list[str] = field(default_factory=list)
    setup: str = ""
    counts: str = "calls"
    why: str = ""
    unseen: float = 0
    random: float = 0
    root: bool = False
    privileges: bool = False
    smoke: bool = False
    seconds: float = 120

    def missing(self) -> str | None:
        """Why the program cannot run here; None when it can."""
        if self.root and os.geteuid() != 0:
            return "needs root"
        lacking = [n for n in self.needs if not (shutil.which(n) or any(Path("/").glob(n[1:])))]
        return f"needs {', '.join(lacking)}" if lacking else None


@dataclass
class Outcome:
    """The results of one run."""

    status: int | str
    streams: dict[str, str]
    files: dict[str, str]
    tmp: set[str]
    left: list[str]


@dataclass
class Place:
    """The folders of this run of the zoo, and the environment of all programs."""

    base: Path
    private: bool

    def __post_init__(self) -> None:
        """Make the folders; the programs' own is a file system of its own."""
        self.base.chmod(0o755)
        self.mount = self.base / "mount"
        if not self.private:
            self.mount = Path(tempfile.mkdtemp(prefix="jostle-zoo-", dir="/dev/shm"))
        self.mount.mkdir(exist_ok=True)
        self.work = self.mount / "work"
        self.cleared = [self.mount]
        if self.private:
            self.cleared += [Path("/dev/shm")]
            self.cleared += [] if ROOT.is_relative_to("/tmp") else [Path("/tmp")]
            for folder in self.cleared:
                mount = ["mount", "-t", "tmpfs", "-o", "mode=1777", "zoo", str(folder)]
                subprocess.run(mount, check=True)
        native = Path(os.environ.get("JOSTLE_NATIVE", ROOT / "build" / "native"))
        self.run = shutil.copytree(native, self.base / "native") / "jostle-run"
        home = os.environ.get("HOME", "/root")
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.work / "home"),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "USER": "zoo",
            "PYTHON": sys.executable,
            "WORK": str(self.work),
            "ROOT": str(ROOT),
            "RUSTUP_HOME": f"{home}/.rustup",
            "PYTHONDONTWRITEBYTECODE": "1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }

    def close(self) -> None:
        """Remove everything; mounts end with their namespace."""
        if self.private:
            subprocess.run(["umount", self.mount], check=False)
        else:
            shutil.rmtree(self.mount, ignore_errors=True)
        shutil.rmtree(self.base, ignore_errors=True)

    def empty(self) -> None:
        """Empty the programs' folder, and those of temporary files where they are ours."""
        for path in (path for folder in self.cleared for path in folder.iterdir()):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    def set_up(self, script: str) -> subprocess.CompletedProcess[str]:
        """Fill the programs' folder by a script, and keep a copy of it."""
        self.empty()
        (self.work / "home").mkdir(parents=True)
        done = subprocess.run(
            ["bash", "-euc", script], cwd=self.work, env=self.env, capture_output=True, text=True
        )
        shutil.rmtree(self.base / "template", ignore_errors=True)
        subprocess.run(["cp", "-a", self.work, self.base / "template"], check=True)
        return done

    def fill(self) -> None:
        """Give the programs' folder the content that the set-up made."""
        self.empty()
        subprocess.run(["cp", "-a", self.base / "template", self.work], check=True)


# ---- one run ----


def execute(place: Place, command: list[str], seconds: float) -> Outcome:
    """Run a command in the filled folder, and see what it did and what it left."""
    place.fill()
    outputs = {name: place.base / name for name in ("stdout", "stderr")}
    with outputs["stdout"].open("wb") as out, outputs["stderr"].open("wb") as err:
        process = subprocess.Popen(
            command,
            cwd=place.work,
            env=place.env,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            status: int | str = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            status = f"still running after {seconds:g} s"
    left = _end_descendants() if isinstance(status, int) else _end_descendants(patience=0)
    texts = {name: path.read_text(errors="backslashreplace") for name, path in outputs.items()}
    streams = {name: _DURATION.sub("# s", text) for name, text in texts.items()}
    tmp = {str(path) for folder in place.cleared[1:] for path in folder.rglob("*")}
    return Outcome(status, streams, _hashes(place.work), tmp, left)


def _hashes(folder: Path) -> dict[str, str]:
    """Kind, mode, owner and content of each file of a folder."""
    out = {}
    for path in sorted(folder.rglob("*")):
        facts = path.lstat()
        what = os.readlink(path) if path.is_symlink() else ""
        if path.is_file() and not path.is_symlink():
            what = hashlib.sha256(path.read_bytes()).hexdigest()
        out[str(path.relative_to(folder))] = f"{facts.st_mode:o} {facts.st_uid} {what}"
    return out


def _descendants() -> dict[int, str]:
    """Our descendants that run (we adopt those whose parent has ended), with their names."""
    parents: dict[int, tuple[int, str]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue
        name, _, rest = text.partition("(")[2].rpartition(")")[0], "", text.rpartition(")")[2]
        parents[int(path.parent.name)] = (int(rest.split()[1]), name)
    found: dict[int, str] = {}
    wanted = {os.getpid()}
    while wanted:
        children = {pid: n for pid, (parent, n) in parents.items() if parent in wanted}
        wanted = set(children) - set(found)
        found |= children
    return found


def _end_descendants(patience: float = _END_S) -> list[str]:
    """Wait for all that a run left to end, kill the rest, and name it."""
    end = time.monotonic() + patience
    left: set[str] = set()
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return sorted(left)
        if time.monotonic() < end:
            time.sleep(0.02)
            continue
        for pid, name in _descendants().items():
            left.add(name)
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(0.05)


def profile(place: Place, program: Program) -> tuple[Outcome, list[peek.Process], list[str]]:
    """Runs a program under jostle-run; gives its profiles and their errors."""
    spool = place.base / "spool"
    shutil.rmtree(spool, ignore_errors=True)
    spool.mkdir()
    spool.chmod(0o1777)
    head = [str(place.run), "--slice", _SLICE, "--spool", str(spool), "--job", "zoo", "--"]
    outcome = execute(place, [*head, "bash", "-c", program.run], program.seconds)
    wrong = [f"in the spool: {p.name}" for p in spool.iterdir() if not _PROFILE.fullmatch(p.name)]
    processes: list[peek.Process] = []
    try:
        processes = peek.read_spool(spool)
    except Exception as error:  # whatever a second reader does not understand
        wrong.append(f"a profile cannot be read: {type(error).__name__}: {error}")
    requests = [ReadRequest(path, n) for n, path in enumerate(find_profiles([spool]))]
    for result in read_profiles(requests).results:
        said = [*result.warnings, *([str(result.error)] if result.error else [])]
        wrong += [f"{result.request.path.name}: {what}" for what in said]
    if not processes:
        wrong.append("no process left a profile")
    return outcome, processes, wrong


def traced(place: Place, program: Program) -> Traced:
    """A program's calls on the files of the folder, by strace."""
    log = place.base / "strace.log"
    head = ["strace", "-f", "-y", "-s", "0", "-e", "signal=none", "-o", str(log)]
    fast = [] if program.privileges else ["--seccomp-bpf"]
    calls = f"trace=/^({SYSTEM_CALLS})$"
    execute(place, [*head, *fast, "-e", calls, "bash", "-c", program.run], program.seconds * 4)
    return add_up(log.read_text(errors="replace").splitlines(), str(place.mount))


# ---- comparisons ----


def _mask(text: str) -> str:
    return "\n".join(sorted(_RANDOM.sub("#", text).splitlines()))


def compare_texts(name: str, bare: tuple[str, str], seen: str) -> tuple[list[str], str]:
    """Compares a text with those of two bare runs: differences, and what was not compared."""
    if bare[0] == bare[1]:
        wrong = [] if seen == bare[0] else [f"{name} differs:\n{_difference(bare[0], seen)}"]
        return wrong, ""
    if _mask(bare[0]) == _mask(bare[1]):
        same = _mask(seen) == _mask(bare[0])
        return [] if same else [
            f"{name} differs:\n{_difference(bare[0], seen)}"
        ], f"{name}: numbers"
    return [], name


def _difference(bare: str, seen: str) -> str:
    texts = bare.splitlines(), seen.splitlines()
    lines = difflib.unified_diff(*texts, "bare", "profiled", lineterm="", n=0)
    return "\n".join(f"      {line}"[:200] for line in list(lines)[:12])


def compare_files(bare: tuple[Outcome, Outcome], seen: Outcome) -> tuple[list[str], str]:
    """Compares the files that a run leaves with those of two bare runs."""
    first, second = (outcome.files for outcome in bare)
    sure = {n for n in first.keys() | second.keys() if first.get(n) == second.get(n)}
    wrong = [n for n in sorted(sure) if seen.files.get(n) != first[n]]
    names = [Counter(_RANDOM.sub("#", n) for n in files) for files in (first, second, seen.files)]
    if names[0] == names[1] != names[2]:
        wrong += sorted((names[2] - names[0]) + (names[0] - names[2]))
    random = len((first.keys() | second.keys()) - sure)
    said = [f"files differ: {' '.join(wrong[:8])}"] if wrong else []
    return said, f"content of {random} files" if random else ""


def compare_rest(bare: tuple[Outcome, Outcome], seen: Outcome) -> list[str]:
    """Files in /tmp and processes that a bare run does not leave."""
    masked = [{_RANDOM.sub("#", n) for n in outcome.tmp} for outcome in (*bare, seen)]
    wrong = [f"left in the file system: {n}" for n in sorted(masked[2] - masked[0] - masked[1])]
    left = set(seen.left) - set(bare[0].left) - set(bare[1].left)
    return wrong + [f"left running: {name}" for name in sorted(left)]


_WORDS = ("reads", "bytes_read", "writes", "bytes_written", "seeks", "syncs")
_IDS = ("read_ops", "read_bytes", "write_ops", "write_bytes", "seek_ops", "sync_ops", "open_ops")


def counted(processes: list[peek.Process], folder: Path) -> dict[str, dict[str, int]]:
    """jostle's counts on the file system of a folder, for descriptors and for streams."""
    out: dict[str, Counter[str]] = {"posix": Counter(), "stdio": Counter()}
    for process in processes:
        if (slot := process.slot_of(folder)) is None:
            continue
        for module, sums in out.items():
            for word, metric in zip((*_WORDS, "opens"), _IDS, strict=True):
                sums[word] += process.total(f"{module}_{metric}", slot)
    return {module: dict(sums) for module, sums in out.items()}


def compare_counts(
    program: Program, seen: dict[str, dict[str, int]], truths: list[Traced]
) -> list[str]:
    """Counts that differ from strace's; numbers that differ between traces are bounds."""
    wrong = []
    posix, stdio = ({w: sums.get(w, 0) for w in (*_WORDS, "opens")} for sums in seen.values())
    if program.counts == "calls" and (streams := [w for w in _WORDS[:4] if stdio[w]]):
        wrong.append(f"streams were counted ({', '.join(streams)}): compare by bytes")
    for word in _WORDS:
        values = [getattr(truth, word) for truth in truths]
        got = posix[word]
        exact = program.counts == "calls"
        if program.counts == "bytes" and word == "bytes_written":
            got, exact = got + stdio[word], True
        varies = program.random if word == "bytes_written" else 0
        least = min(values) * (1 - program.unseen - varies) if exact else 0
        if not least <= got <= max(values) * (1 + varies):
            wrong.append(f"{word}: {got} counted, {' or '.join(map(str, values))} by strace")
    opens = posix["opens"] + stdio["opens"]
    least = min(t.opens - t.folders for t in truths) if program.counts == "calls" else 0
    most = max(t.opens for t in truths)
    if opens < least or posix["opens"] > most:
        wrong.append(f"opens: {opens} counted, {least} to {most} by strace")
    return wrong


# ---- the zoo ----


def visit(place: Place, program: Program, verbose: bool) -> tuple[list[str], str]:
    """Compares one program: differences, and a line on what was compared."""
    made = place.set_up(program.setup)
    if made.returncode:
        return [f"its set-up failed: {made.stderr.strip()[-400:]}"], ""
    plain = ["bash", "-c", program.run]
    bare = execute(place, plain, program.seconds), execute(place, plain, program.seconds)
    if isinstance(bare[0].status, str):
        return [f"bare: {bare[0].status}"], ""
    seen, processes, wrong = profile(place, program)
    if seen.status != bare[0].status:
        wrong.append(f"status {seen.status}, bare {bare[0].status} and {bare[1].status}")
    open_ends = []
    for name in ("stdout", "stderr"):
        texts = bare[0].streams[name], bare[1].streams[name]
        found, random = compare_texts(name, texts, seen.streams[name])
        ours = set(_OURS.findall(seen.streams[name])) - set(_OURS.findall(texts[0]))
        wrong += found + [f"a message of ours in {name}: {line}" for line in sorted(ours)]
        open_ends += [random] if random else []
    found, random = compare_files(bare, seen)
    wrong += found + compare_rest(bare, seen)
    open_ends += [random] if random else []
    line = f"status {bare[0].status}, {len(seen.files)} files, {len(processes)} processes"
    if program.counts != "none":
        counts = counted(processes, place.mount)
        truths = [traced(place, program)]
        if compare_counts(program, counts, truths):
            truths.append(traced(place, program))
        wrong += compare_counts(program, counts, truths)
        line += f"; {program.counts}: {truths[0].reads} reads, {truths[0].writes} writes"
        if verbose:
            print(f"    posix {counts['posix']}\n    stdio {counts['stdio']}\n    {truths}")
    if program.why:
        line += f"; {program.counts}, since {program.why}"
    if open_ends:
        line += f"; random: {', '.join(open_ends)}"
    if verbose:
        names = dict(Counter(Path(process.program).name for process in processes))
        notes = sorted({note for process in processes for note in process.notes})
        print(f"    {names}\n    {notes}\n    {seen.streams}"[:3000])
    return wrong, line


def read_table() -> list[Program]:
    """All programs of the table."""
    rows = tomllib.loads((HERE / "programs.toml").read_text())["program"]
    return [Program(**row) for row in rows]


def install(programs: list[Program]) -> None:
    """Install what the programs need, each package for itself: some distributions lack some."""
    wanted = sorted({package for p in programs if p.missing() for package in p.packages})
    if not wanted or os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    policy = Path("/usr/sbin/policy-rc.d")  # without it, servers would be started
    ours = not policy.exists()
    if ours:
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
    options = ["-o", "DPkg::Lock::Timeout=300", "-qq", "-y", "--no-install-recommends"]
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        subprocess.run(["apt-get", "-qq", "update"], env=env, check=False)
        if subprocess.run(["apt-get", *options, "install", *wanted], env=env).returncode:
            for package in wanted:
                subprocess.run(["apt-get", *options, "install", package], env=env, check=False)
    finally:
        if ours:
            policy.unlink()


def _go_private(base: str) -> bool:
    """Starts again in a mount namespace of its own, where root may have one."""
    if os.environ.get("ZOO_BASE") == base:
        return True
    unshare = ["unshare", "--mount", "--propagation", "private"]
    if os.geteuid() != 0 or subprocess.run([*unshare, "true"], capture_output=True).returncode:
        return False
    os.environ["ZOO_BASE"] = base
    return os.execvp("unshare", [*unshare, sys.executable, *sys.argv])


def main() -> int:
    """Runs the programs, and prints a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="programs of the table; all when none is given")
    parser.add_argument("--smoke", action="store_true", help="only the quick part")
    parser.add_argument("--install", action="store_true", help="install Debian packages first")
    parser.add_argument("--verbose", action="store_true", help="print what was counted")
    options = parser.parse_args()
    table = read_table()
    if unknown := set(options.names) - {p.name for p in table}:
        parser.error(f"not in the table: {', '.join(sorted(unknown))}")
    chosen = [p for p in table if p.name in options.names or not options.names]
    chosen = [p for p in chosen if p.smoke or not options.smoke]
    base = os.environ.get("ZOO_BASE") or tempfile.mkdtemp(prefix="jostle-zoo-", dir="/var/tmp")
    if options.install and "ZOO_BASE" not in os.environ:
        install(chosen)
    place = Place(Path(base), _go_private(base))
    set_subreaper = 36
    ctypes.CDLL(None).prctl(set_subreaper, 1, 0, 0, 0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    results: Counter[str] = Counter()
    try:
        for program in chosen:
            begin = time.monotonic()
            if reason := program.missing():
                verdict, wrong, line = "skipped", [], reason
            else:
                wrong, line = visit(place, program, options.verbose)
                verdict = "WRONG" if wrong else "ok"
            results[verdict] += 1
            took = time.monotonic() - begin
            print(f"{program.name:<16} {verdict:<8} {took:5.1f} s  {line}", flush=True)
            for what in wrong:
                print(f"    {what}", flush=True)
    finally:
        _end_descendants(patience=0)
        place.close()
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(results.items())))
    return 1 if results["WRONG"] or not results["ok"] else 0


if __name__ == "__main__":
    sys.exit(main())
