"""The MPI names and wrappers: up to date and complete; adapters are linked to no MPI."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from tests.conftest import native

from jostle.files.loadable import find_library

SKIPPED = re.compile(r"p?mpi_(type|op|info|t|abi|status|errhandler|error|add|group|pack|unpack)_")
NAME = re.compile(r"JST_MPI_(NAME|FORTRAN)\((\w+)(?:, (\d+))?\)")


@pytest.fixture(scope="module")
def generator(root: Path) -> ModuleType:
    pytest.importorskip("pympistandard")
    sys.path.insert(0, str(root / "tools"))
    import generate_mpi

    return generate_mpi


@pytest.fixture(scope="module")
def names(root: Path) -> dict[str, int]:
    """Exported names, with the place of ierror, 0 for C."""
    text = (root / "runtime" / "include" / "jst_mpi_names.def").read_text()
    return {name: int(place or 0) for _, name, place in NAME.findall(text.partition("*/")[2])}


def adapters() -> list[Path]:
    """The adapters that were built."""
    library = native("libjostle.so")
    others = ("libjostle-decode.so", "libjostle-timer.so")
    found = library.parent.glob("libjostle-*.so") if library else []
    return sorted(path for path in found if path.name not in others)


def symbols(path: Path, which: str) -> set[str]:
    """Dynamic symbols of a library."""
    done = subprocess.run(["nm", "-D", which, path], capture_output=True, text=True, check=True)
    return {line.split()[-1].partition("@")[0] for line in done.stdout.splitlines() if line}


def test_outputs_are_fresh(generator: ModuleType) -> None:
    wrong = generator.stale(generator.outputs())
    assert not wrong, "run tools/generate_mpi.py"


def test_words_of_the_table_become_c(generator: ModuleType) -> None:
    from generators import mpi_words

    calls = {call.base: call for call in generator.load_calls()}
    gather = calls["Gatherv"]
    text = mpi_words.amount(gather, mpi_words.Language(gather, fortran=False))
    assert "jst_at(recvcounts, 4, jst_rank(comm)) * jst_size(recvtype)" in text
    text = mpi_words.amount(gather, mpi_words.Language(gather, fortran=True))
    assert "jst_in_place_f(sendbuf, described)" in text
    assert "(uint64_t)*(const MPI_Fint *)sendcount * jst_size_f(*(const MPI_Fint *)" in text
    large = calls["Gatherv_c"]
    text = mpi_words.amount(large, mpi_words.Language(large, fortran=True))
    assert "jst_at(recvcounts, 8," in text
    assert "*(const MPI_Count *)sendcount" in text


def test_every_way_to_call_a_function_is_listed(names: dict[str, int]) -> None:
    wanted = """MPI_Send PMPI_Send MPI_Send_c PMPI_Send_c mpi_send_ mpi_send__ mpi_send MPI_SEND
                pmpi_send_ PMPI_SEND mpi_send_f08_ pmpi_send_f08_ mpi_send_f08ts_
                pmpir_send_f08ts_ mpi_send_f08ts_large_ mpi_wait_f08_ pmpir_wait_f08_
                mpi_win_create_f08ts_large_ mpi_win_allocate_cptr_ MPI_Session_init"""
    assert not set(wanted.split()) - set(names)
    assert (names["MPI_Send"], names["mpi_send_"], names["mpi_wait_f08_"]) == (0, 7, 3)


def test_what_must_not_be_exported_is_not(names: dict[str, int]) -> None:
    forbidden = """MPI_Get_version MPI_Get_library_version MPI_Wtime MPI_Initialized MPI_Finalized
                   MPI_Comm_f2c MPI_Type_commit MPI_Comm_dup_fn MPI_COMM_NULL_COPY_FN MPI_Pack
                   MPI_Comm_rank MPI_Get_count MPI_Abi_get_version MPI_Session_get_info"""
    assert not set(forbidden.split()) & set(names)
    kept = [name for name in names if SKIPPED.match(name.lower())]
    assert all("type_free" in name.lower() for name in kept)


def test_names_are_of_the_standard(generator: ModuleType, names: dict[str, int]) -> None:
    known = {name.lower() for name in generator.standard.storage.PROCEDURES}
    for name in names:
        plain = re.sub(r"^p?mpir?_", "mpi_", name.lower())
        plain = re.sub(r"(_f08(ts)?(_large)?|_cptr|_c)?_{0,2}$", "", plain)
        assert plain in known, name


@pytest.mark.parametrize(
    "library",
    [
        "libmpi_mpifh.so.40",
        "libmpi_usempif08.so.40",
        "libmpichfort.so.12",
        "libmpi.so.40",
        "libmpich.so.12",
    ],
)
def test_no_name_of_a_library_is_forgotten(
    library: str, names: dict[str, int], generator: ModuleType
) -> None:
    path = find_library(library)
    if not path:
        pytest.skip("not installed")
    counted = {call.plain.lower() for call in generator.load_calls()}
    form = re.compile(r"p?mpir?_(\w+?)(_c|(_f08|_f08ts|_cptr)(_large)?)?_{0,2}", re.IGNORECASE)
    for name in symbols(Path(path), "--defined-only"):
        match = form.fullmatch(name)
        # MPI_Send_f08 is Open MPI's own alias; no Fortran compiler makes such a name.
        if (
            match
            and match.group(1).lower() in counted
            and not re.match("P?MPI_[A-Z][a-z].*f", name)
        ):
            assert name in names


@pytest.mark.parametrize("adapter", adapters(), ids=lambda path: path.stem)
def test_adapters_are_linked_to_no_mpi(adapter: Path) -> None:
    undefined = symbols(adapter, "--undefined-only")
    assert not [name for name in undefined if "mpi" in name.lower()]
    assert symbols(adapter, "--defined-only") - {"_init", "_fini"} == {"jst_mpi_adapter_get"}
    said = subprocess.run(["readelf", "-d", adapter], capture_output=True, text=True, check=True)
    needed = re.findall(r"NEEDED.*\[(.*?)\]", said.stdout)
    assert not [name for name in needed if "mpi" in name]


def mpi_flags(compiler: str) -> list[str]:
    """Where a compiler of an MPI looks for headers."""
    for question in ("-showme:compile", "-show"):
        done = subprocess.run([compiler, question], capture_output=True, text=True)
        if done.returncode == 0:
            return [word for word in done.stdout.split() if word.startswith("-I")]
    return []


@pytest.mark.in_turn
@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["mpicc.openmpi", "mpicc.mpich"])
def test_threads_do_not_race(root: Path, tmp_path: Path, compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip("not installed")
    runtime = root / "runtime"
    sources = [*(runtime / "mpi").glob("*.c"), *(runtime / "mpi" / "generated").glob("*.c")]
    include = [f"-I{runtime / part}" for part in ("include", "mpi", "mpi/generated")]
    program = tmp_path / "threads"
    built = subprocess.run(
        [
            "gcc",
            "-std=gnu11",
            "-O0",
            "-g1",
            "-w",
            "-fsanitize=thread",
            *include,
            *mpi_flags(compiler),
            "-o",
            program,
            root / "tests" / "house" / "mpi_threads.c",
            *sources,
            "-lpthread",
        ],
        capture_output=True,
        text=True,
    )
    if "tsan" in built.stderr:
        pytest.skip("no thread sanitizer here")
    assert built.returncode == 0, built.stderr
    # Without random addresses: the sanitizer of gcc 12 dislikes some layouts.
    still = ["setarch", "-R"] if shutil.which("setarch") else []
    done = subprocess.run([*still, program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr[:4000]
