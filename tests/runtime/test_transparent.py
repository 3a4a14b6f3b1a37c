"""The program cannot notice that it is profiled."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from pathlib import Path

import pytest
from harness import Compile, Runner, needs_plain_build

from jostle.files.loadable import find_library, is_loadable

OLD_NAMES = {"gets", "_IO_getc", "_IO_putc"}  # only for programs linked long ago
GPU_NAMES = {
    "jst_gpu_join",
    "cuptiSubscribe",
    "cuptiSubscribe_v2",
    "cuptiActivityRegisterCallbacks",
    "cuptiActivityRegisterCallbacks_v2",
    "rocprofiler_register_library_api_table",
}
#: Collective libraries: NCCL, whose functions RCCL has, too, and gloo.
NCCL_NAMES = {
    f"nccl{name}"
    for name in (
        "AllReduce",
        "AllGather",
        "ReduceScatter",
        "AlltoAll",
        "AllToAll",
        "Broadcast",
        "Bcast",
        "Scatter",
        "Reduce",
        "Gather",
        "Send",
        "Recv",
        "GroupStart",
        "GroupEnd",
        "CommDestroy",
        "CommAbort",
        "CommFinalize",
    )
}
GLOO_NAMES = {
    f"_ZN4gloo{len(name)}{name}E{'RK' if name == 'allreduce' else 'R'}NS_"
    f"{len(name) + 7}{name.capitalize()}OptionsE"
    for name in (
        "allreduce",
        "allgather",
        "allgatherv",
        "alltoall",
        "alltoallv",
        "barrier",
        "broadcast",
        "scatter",
        "reduce",
        "gather",
        "gatherv",
    )
}
_MPI_NAME = re.compile(r"^JST_MPI_(?:NAME|FORTRAN)\((\w+)", re.M)
_CALL = re.compile(r"^JST_CALL(?:_OPT)?\(\s*\w+,\s*(\w+),", re.M)


def exported(library: Path) -> list[str]:
    """Names that a shared object defines for others."""
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True
    )
    return sorted(line.split()[-1].split("@")[0] for line in listing.stdout.splitlines())


def test_export_list(library: Path, root: Path) -> None:
    """The library exports the functions of calls.def, MPI's, CUPTI's and collective libraries'."""
    calls = _CALL.findall((root / "schema" / "calls.def").read_text())
    names = root / "runtime" / "include" / "jst_mpi_names.def"
    others = {*GPU_NAMES, *NCCL_NAMES, *GLOO_NAMES}
    wanted = sorted([*calls, *others, *_MPI_NAME.findall(names.read_text())])
    assert len(wanted) == len(set(wanted))
    assert exported(library) == wanted


def test_names_exist(root: Path) -> None:
    """Each name of calls.def that is not optional is in this libc: no misspelling."""
    libc = ctypes.CDLL("libc.so.6")
    text = (root / "schema" / "calls.def").read_text()
    for name in re.findall(r"^JST_CALL\(\s*\w+,\s*(\w+),", text, re.M):
        assert hasattr(libc, name) or name in OLD_NAMES, name


def test_needs_libc_alone(library: Path) -> None:
    """No other library comes into the process with jostle."""
    needs_plain_build(library)
    listing = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True)
    needed = set(re.findall(r"NEEDED.*\[(.*?)\]", listing.stdout))
    assert needed <= {"libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
    assert "TEXTREL" not in listing.stdout


def test_names_of_ours_stay_the_programs(jostle: Runner, build: Compile) -> None:
    """A program's functions named like our helpers are neither called nor replaced."""
    program = build("hijack.c", "-rdynamic")
    jostle.run(program, jostle.data).check("posix")


def test_modes_of_new_files(jostle: Runner, build: Compile) -> None:
    """O_CREAT and O_TMPFILE keep their mode argument."""
    jostle.run(build("modes.c"), jostle.data)


def test_variadic_arguments(jostle: Runner, build: Compile) -> None:
    """fcntl, execl and prctl pass on whatever they are given."""
    seen = jostle.run(build("variadic.c"), jostle.data)
    assert seen.stdout == "one two ENV=3\n"


def test_odd_arguments(jostle: Runner, build: Compile) -> None:
    """Null paths, bad flags, wrong descriptors: result and errno are those without jostle."""
    program = build("oddities.c")
    bare = jostle.run(program, jostle.data, preload=[])
    assert jostle.run(program, jostle.data).stdout == bare.stdout


@pytest.mark.parametrize("source", ["errors.c", "posix_data.c", "stdio_all.c"])
def test_switched_off(jostle: Runner, build: Compile, source: str) -> None:
    """With JOSTLE=off the same programs work and leave no trace."""
    jostle.run(build(source), jostle.data, env={"JOSTLE": "off"})
    assert not list(jostle.spool.iterdir())


COMMANDS = {
    "pipeline": ["sh", "-c", "ls -l /usr | sort | md5sum; seq 9 | tail -n 3; echo err >&2; exit 3"],
    "bash": ["bash", "-c", "exec 3>&1; echo out >&3; printf '%s\\n' a b | (read x; cat)"],
    "python": [sys.executable, "-c", "import sys; print(1); sys.stderr.write('err'); sys.exit(7)"],
    "cannot": ["/bin/cat", "/nonexistent/file"],
    "python-threads": [
        sys.executable,
        "-c",
        "import subprocess, threading, concurrent.futures as c\n"
        "with c.ThreadPoolExecutor(8) as pool: print(sum(pool.map(len, ['abc'] * 9)))\n"
        "print(subprocess.check_output(['echo', 'x']))",
    ],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_output_is_the_same(jostle: Runner, name: str) -> None:
    """Status, stdout and stderr are the same, byte for byte, with jostle and without."""
    bare = jostle.run(*COMMANDS[name], code=None, preload=[])
    for mode in ("on", "off"):
        seen = jostle.run(*COMMANDS[name], code=None, env={"JOSTLE": mode})
        assert (seen.code, seen.stdout, seen.stderr) == (bare.code, bare.stdout, bare.stderr), mode


def test_descriptors_are_the_same(jostle: Runner) -> None:
    """A program finds no descriptor of ours, and gets the numbers it would get without jostle."""
    needs_plain_build(jostle.library)
    script = (
        "import os, time\n"
        "f = open('x', 'wb'); f.write(bytes(200000)); f.flush(); time.sleep(0.25)\n"
        "print(f.fileno(), os.dup(0), sorted(os.listdir('/proc/self/fd')))\n"
    )
    bare = jostle.run(sys.executable, "-c", script, preload=[])
    seen = jostle.run(sys.executable, "-c", script)
    assert seen.stdout == bare.stdout


def test_children_to_wait_for(jostle: Runner, build: Compile) -> None:
    """wait() finds no child of ours and no signal handler or mask is changed."""
    needs_plain_build(jostle.library, "ubsan")
    seen = jostle.run(build("surroundings.c"), jostle.data)
    bare = jostle.run(build("surroundings.c"), jostle.data, preload=[])
    assert seen.stdout == bare.stdout


PRELOADS = {
    "jemalloc": "libjemalloc.so.2",
    "tcmalloc": "libtcmalloc_minimal.so.4",
    "asan": "libasan.so",
}


def library_named(name: str) -> Path:
    """A library of the system, or of the compiler that builds the programs; or a skip."""
    asked = subprocess.run(["cc", f"-print-file-name={name}"], capture_output=True, text=True)
    found = next(filter(is_loadable, (find_library(name), asked.stdout.strip())), "")
    if not found:
        pytest.skip(f"needs {name}, which is not installed")
    return Path(found).resolve()


@pytest.mark.parametrize("order", ["before", "after"])
@pytest.mark.parametrize("name", PRELOADS)
def test_alongside_other_preloads(jostle: Runner, build: Compile, name: str, order: str) -> None:
    """Allocators and the address sanitizer share the process, on either side of us."""
    needs_plain_build(jostle.library, "ubsan")
    other = library_named(PRELOADS[name])
    if name == "asan" and order == "after":
        pytest.skip("the sanitizer refuses to come second, whoever is first")
    both = [other, jostle.library] if order == "before" else [jostle.library, other]
    quiet: dict[str, str | None] = {"ASAN_OPTIONS": "detect_leaks=0"}
    for source, metrics in [
        ("posix_data.c", ["posix_write", "posix_read"]),
        ("fork_threads.c", ["posix"]),
        ("stdio_all.c", ["stdio_write"]),
    ]:
        if name == "asan" and source == "fork_threads.c":
            continue  # _Fork and raw clone with threads are not the sanitizer's promise
        runner = Runner(jostle.library, make_folder(jostle, source))
        result = runner.run(build(source), runner.data, preload=both, env=quiet)
        assert "cannot be preloaded" not in result.stderr, "else nothing shared the process"
        result.check(*metrics)


def make_folder(jostle: Runner, name: str) -> Path:
    """A folder for one more runner."""
    folder = jostle.truth.parent / name
    folder.mkdir()
    return folder


@pytest.mark.parametrize("style", ["gnu", "sysv"])
@pytest.mark.parametrize("order", ["before", "after"])
def test_alongside_another_wrapper(jostle: Runner, build: Compile, order: str, style: str) -> None:
    """Another profiler that wraps the same call sees each call once, and so do we."""
    other = build("wrapper.c", "-shared", "-fPIC", f"-Wl,--hash-style={style}")
    both = [other, jostle.library] if order == "before" else [jostle.library, other]
    result = jostle.run(build("ends.c"), jostle.data, "return", "large", preload=both)
    result.check("posix")
    (pid,) = result.truth
    assert int(result.notes["wrapper"][0]) == result.truth[pid]["posix_write_ops"]


def test_program_with_sanitizer(jostle: Runner, build: Compile) -> None:
    """A program built with AddressSanitizer, which wants to come first."""
    program = build("ends.c", "-fsanitize=address")
    asan = library_named("libasan.so")
    result = jostle.run(
        program,
        jostle.data,
        "return",
        "large",
        preload=[asan, jostle.library],
        env={"ASAN_OPTIONS": "detect_leaks=0"},
    )
    result.check("posix_write")
