"""The recorder for AMD's GPUs, against a stand-in for ROCm (programs/fake_rocprofiler.c)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import Compile, Result, Runner

pytestmark = pytest.mark.in_turn

Run = Callable[..., Result]
# What programs/rocm.c plays in `known`: copies, bytes, ns.
KNOWN = {
    "h2d": (2, 2 * 2001, 2 * 200),
    "d2h": (3, 3 * 3001, 3 * 300),
    "d2d": (4, 4 * 4001, 4 * 400),
    "peer": (7, 7 * 5000, 7 * 70),
    "set": (8, 7 * 64 + 3 * 4, 0),
}
NOT_COUNTED = "is not counted"


@pytest.fixture
def play(jostle: Runner, build: Compile, tmp_path: Path) -> Run:
    """Runs the program that uses the stand-ins, with these on the search path."""
    folder = tmp_path / "rocm"
    folder.mkdir()

    def stand_in(name: str, source: str, *flags: str) -> Path:
        target = folder / name
        shutil.copy(build(source, "-shared", "-fPIC", f"-Wl,-soname,{name}", *flags), target)
        return target

    sdk = stand_in("librocprofiler-sdk.so.1", "fake_rocprofiler.c")
    register = stand_in("librocprofiler-register.so.0", "fake_hip.c", "-DREGISTER")
    stand_in("libamdhip64.so.7", "fake_hip.c", "-Wl,--no-as-needed", str(register))

    def run(
        mode: str,
        *flags: str,
        length: str = "200ms",
        code: int = 0,
        sdk_is_there: bool = True,
        **env: str | None,
    ) -> Result:
        if not sdk_is_there:
            sdk.unlink()
        program = build("rocm.c", *flags)
        variables = {"JOSTLE_GPU": "on", "LD_LIBRARY_PATH": str(folder), "ROCM_PATH": None, **env}
        return jostle.run(program, mode, length=length, code=code, env=variables)

    return run


def check_known(result: Result) -> None:
    """Compares the profile with the operations of `known`."""
    process = result.only()
    for name, wanted in KNOWN.items():
        seen = tuple(process.total(f"gpu_{name}_{what}") for what in ("ops", "bytes", "ns"))
        assert seen == wanted, name
    assert process.total("gpu_launch_ops") == 11
    assert process.total("gpu_graph_ops") == 3
    assert process.total("gpu_wait_ops") == 2
    assert 30_000_000 <= process.total("gpu_wait_ns") < 300_000_000
    assert process.total("gpu_lost_ops") == process.total("gpu_busy_ns") == 0
    assert not [note for note in process.notes if "GPU" in note or "rocprofiler" in note]


@pytest.mark.parametrize("mode", ["known", "_exit"])
def test_what_was_played(play: Run, mode: str) -> None:
    """Counts, bytes and times equal what was played, whichever way the process ends, and nobody
    writes into its output."""
    result = play(mode)
    check_known(result)
    assert (result.stdout, result.stderr) == ("", "")


def test_a_killed_process_has_what_was_handed_over(play: Run) -> None:
    check_known(play("killed", length="4s", code=-9))


def test_full_buffers(play: Run) -> None:
    process = play("many").only()
    assert process.total("gpu_h2d_ops") == 20_000
    assert process.total("gpu_h2d_bytes") == 20_000 * 8


def test_dropped_records_are_counted(play: Run) -> None:
    process = play("many", FAKE_DROPS="100").only()
    assert process.total("gpu_lost_ops") == 200
    assert process.total("gpu_h2d_ops") == 20_000 - 200
    assert any("gpu_lost_ops" in note for note in process.notes)


def test_slices(play: Run) -> None:
    """What was played in a slice is in the record of that slice."""
    counts = play("slices").only().per_slice("gpu_d2h_ops")
    played = [n for _, n in sorted(counts.items()) if n]
    assert sum(played) == 36
    right = sum(n in played for n in range(1, 9))
    assert right >= 6, f"{counts}: an oversubscribed machine may be late once"


@pytest.mark.parametrize("slow", [None, "1"])
def test_forks_during_a_flush(play: Run, slow: str | None) -> None:
    """Children neither hang nor call the library; what their parent copied is not theirs."""
    result = play("forks", FAKE_SLOW=slow)
    assert "forked child" not in result.stderr
    assert result.total("gpu_h2d_ops") == 6


@pytest.mark.parametrize("where", ["program", "list"])
def test_another_tool_alongside_us(play: Run, build: Compile, where: str) -> None:
    """Both have all records, wherever rocprofiler-sdk finds the other one."""
    if where == "program":
        result = play("known", "-DTOOL", "-rdynamic")
    else:
        tool = build("rocm.c", "-DTOOL", "-shared", "-fPIC")
        result = play("known", ROCP_TOOL_LIBRARIES=str(tool))
    check_known(result)
    assert result.stdout == "own tool: 17 copies\n"


def test_a_tool_that_was_first(play: Run) -> None:
    """Tools are looked for once."""
    process = play("first").only()
    assert process.total("gpu_h2d_ops") == process.total("gpu_launch_ops") == 0
    assert any("set rocprofiler-sdk up before" in note for note in process.notes), process.notes


def test_named_as_a_tool(play: Run, jostle: Runner) -> None:
    """Also where a user names it to rocprofiler-sdk."""
    recorder = str(jostle.library.with_name("libjostle_rocm.so"))
    check_known(play("known", ROCP_TOOL_LIBRARIES=recorder))


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"FAKE_VERSION": "0.6.0"}, "this is rocprofiler-sdk 0.6.0, and 1 is needed"),
        ({"FAKE_FAILS": "rocprofiler_create_context"}, "create_context failed with error 1"),
        ({"FAKE_FAILS": "rocprofiler_start_context"}, "start_context failed with error 1"),
        ({"FAKE_FAILS": "rocprofiler_query_available_agents"}, "agents failed with error 1"),
    ],
)
def test_what_is_refused(play: Run, env: dict[str, str], said: str) -> None:
    process = play("_exit", **env).only()
    assert any(said in note and NOT_COUNTED in note for note in process.notes), process.notes
    assert all(process.total(f"gpu_{kind}_ops") == 0 for kind in (*KNOWN, "launch", "wait"))


def test_without_rocprofiler(play: Run) -> None:
    """A machine, or a container, that has HIP and not rocprofiler-sdk: the program runs."""
    process = play("known", sdk_is_there=False).only()
    assert any("no usable librocprofiler-sdk.so.1" in note for note in process.notes)


@pytest.mark.parametrize("env", [{"JOSTLE_GPU": None}, {"JOSTLE_GPU": "off"}])
def test_who_does_not_ask(play: Run, env: dict[str, str | None]) -> None:
    """Then rocprofiler-sdk is not even loaded."""
    for process in play("known", **env).processes:
        assert process.total("gpu_h2d_ops") == 0
        assert not [note for note in process.notes if "GPU" in note]


def test_each_gpu(play: Run) -> None:
    """What is played on a GPU is counted there, launches by the GPU that HIP uses."""
    process = play("devices", JOSTLE_GPU="kernels").only()
    names = [(g.pci, g.uuid, g.name, g.memory_bytes) for g in process.gpus]
    memory = (1 << 30) + (1 << 20)
    assert names == [
        ("0001:3b:02.0", "GPU-0000000000000011", "Fake MI300X", memory),
        ("0001:3c:02.0", "GPU-0000000000000012", "Fake MI300X", memory),
        ("0001:3d:02.0", "", "Fake MI300X", memory),
    ]
    for d, gpu in enumerate(process.gpus):
        ops, size = gpu.sums[:2]  # of host to device; then four kinds more, of three numbers each
        launches, busy = gpu.sums[15], gpu.sums[18]
        assert (ops, size, launches) == (d + 1, 1000 * (d + 1), 2 * d + 1)
        assert busy == pytest.approx(50_000_000, rel=0.001)
