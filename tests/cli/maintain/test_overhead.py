"""`jostle overhead`: real runs, the timer in both arms, and wording that claims no more."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import ROOT, jostle

from jostle.cli.launch.trial import Trial
from jostle.errors import UsageError

MPICC = ("mpicc.openmpi", "mpicc.mpich")
PROGRAM = """
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    usleep(300000);
    MPI_Init(&argc, &argv);
    usleep(100000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    usleep(300000);
    return 0;
}
"""


@pytest.fixture(autouse=True)
def _needs_runtime(library: Path) -> None:
    """Fail clearly without libjostle.so."""


def test_a_command_without_mpi_is_timed_whole(tmp_path: Path) -> None:
    words = ("--json", "-n", "4", "--", "sh", "-c", "echo hello; sleep 0.05")
    done = jostle("overhead", *words, TMPDIR=str(tmp_path), JOSTLE_SPOOL=str(tmp_path))
    assert done.code == 0, done.err
    content = json.loads(done.out)
    assert content["timed"] == "whole command"
    assert [run["arm"] for run in content["runs"]] == ["plain", "profiled"] * 4
    assert all(run["wall_s"] >= 0.05 and run["mpi_s"] is None for run in content["runs"])
    assert len(content["plain"]["seconds"]) == len(content["profiled"]["seconds"]) == 4
    assert content["verdict"] in ("cost", "gain", "none", "noise")
    assert content["rounds"] == 4
    assert list(tmp_path.iterdir()) == []


def test_a_seed_draws_the_same_order_again() -> None:
    orders = []
    for _ in range(2):
        done = jostle("overhead", "--json", "--seed", "7", "-n", "6", "--", "true")
        orders.append([run["arm"] for run in json.loads(done.out)["runs"]])
    assert orders[0] == orders[1] != ["plain", "profiled"] * 6
    assert orders[0].count("plain") == 6
    assert all(set(orders[0][i : i + 2]) == {"plain", "profiled"} for i in range(0, 12, 2))


def test_words_and_pictures(tmp_path: Path) -> None:
    done = jostle("overhead", "-n", "3", "--plot", str(tmp_path / "new"), "--", "true")
    assert done.code == 0, done.err
    picture = tmp_path / "new" / "overhead-true.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert f"saved: {picture}" in done.out
    assert "3 runs of each kind in turn; timed: whole command" in done.out
    assert "99 % interval" in done.out
    assert "next: jostle " in done.err


def test_a_failing_command_is_an_error_with_its_words() -> None:
    done = jostle("overhead", "-n", "3", "--", "sh", "-c", "echo no such input; exit 3")
    assert done.code == 1
    assert "`sh` ended with 3 without jostle" in done.err
    assert "no such input" in done.err
    assert done.out == ""


def test_a_command_that_fails_only_under_jostle_is_distinguished() -> None:
    script = 'case "$LD_PRELOAD" in *libjostle.so*) exit 4;; esac'
    done = jostle("overhead", "-n", "3", "--", "sh", "-c", script)
    assert done.code == 1
    assert "ended with 4 under jostle (without it, it succeeds)" in done.err


def test_switched_off_recording_is_refused() -> None:
    done = jostle("overhead", "-n", "3", "--", "true", JOSTLE="off")
    assert done.code == 2
    assert "both kinds of runs would be equal" in done.err


@pytest.fixture
def with_gpu(tmp_path: Path) -> tuple[str, dict[str, str]]:
    """A program that uses a GPU of ours, and the environment in which the GPU is found."""
    sources = ROOT / "tests" / "runtime" / "programs" / "gpu"
    for name, source in (("libcupti.so.13", "fake_cupti.c"), ("libcuda.so.1", "fake_cuda.c")):
        words = ["-shared", "-fPIC", f"-Wl,-soname,{name}", sources / source]
        subprocess.run(["cc", *words, "-o", tmp_path / name, "-ldl"], check=True)
    program = tmp_path / "gpu"
    subprocess.run(["cc", sources / "gpu.c", "-o", program, "-pthread", "-ldl"], check=True)
    spool = tmp_path / "spool"
    spool.mkdir()
    return str(program), {"LD_LIBRARY_PATH": str(tmp_path), "JOSTLE_SPOOL": str(spool)}


@pytest.mark.in_turn
def test_gpus_are_recorded_in_profiled_runs_only(with_gpu: tuple[str, dict[str, str]]) -> None:
    program, env = with_gpu
    script = f'echo "$CUDA_INJECTION64_PATH" >>"$LD_LIBRARY_PATH/seen"; {program} known'
    words = ("overhead", "--gpu", "--json", "-n", "3", "--", "sh", "-c", script)
    done = jostle(*words, afresh=True, **env)
    assert done.code == 0, done.err
    assert json.loads(done.out)["notes"][0] == "profiled runs also count what the GPU does (--gpu)"
    seen = Path(env["LD_LIBRARY_PATH"], "seen").read_text().split("\n")[:-1]
    assert seen[::2] == [""] * 4
    assert all(line.endswith("libjostle_cuda.so") for line in seen[1::2])


def test_a_machine_without_a_gpu_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jostle.cli.launch.trial._DRIVER", "libnobody-has-this.so.1")
    with pytest.raises(UsageError, match="is not on this machine"):
        Trial(["true"], gpu=True)


@pytest.mark.in_turn
def test_a_gpu_that_is_not_recorded_is_refused(with_gpu: tuple[str, dict[str, str]]) -> None:
    program, env = with_gpu
    done = jostle("overhead", "--gpu", "-n", "3", "--", "true", afresh=True, **env)
    assert done.code == 2
    assert "for `true` was recorded: it did not use one by CUDA." in done.err
    taken = {**env, "FAKE_TAKEN": "1"}
    done = jostle("overhead", "--gpu", "-n", "3", "--", program, "known", afresh=True, **taken)
    assert done.code == 2
    assert "another tool has CUPTI (cuptiSubscribe: error 39)" in done.err


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs a C compiler")
def test_a_static_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.c").write_text("int main(void) { return 0; }\n")
    built = subprocess.run(
        ["gcc", "-static", "-o", tmp_path / "s", tmp_path / "s.c"], capture_output=True, check=False
    )
    if built.returncode:
        pytest.skip("no static C library")
    done = jostle("overhead", "-n", "3", "--", str(tmp_path / "s"))
    assert done.code == 2
    assert "statically linked" in done.err


@pytest.mark.in_turn
def test_ctrl_c_shows_what_was_measured(tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = f"echo x >> {log}; sleep 0.1"
    words = [
        sys.executable,
        "-m",
        "jostle.cli",
        "overhead",
        "-n",
        "1000",
        "--json",
        "--",
        "sh",
        "-c",
        script,
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(
        words,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        end = time.monotonic() + 60
        while not (log.exists() and len(log.read_text()) >= 2 * 10) and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    content = json.loads(out)
    assert 3 <= content["rounds"] < 1000
    assert content["notes"][0].startswith("interrupted after")


@pytest.mark.in_turn
@pytest.mark.parametrize("mpicc", MPICC)
def test_mpi_programs_are_timed_between_init_and_finalize(mpicc: str, tmp_path: Path) -> None:
    launcher = mpicc.replace("mpicc", "mpirun")
    if not shutil.which(mpicc) or not shutil.which(launcher):
        pytest.skip(f"needs {mpicc}")
    (tmp_path / "p.c").write_text(PROGRAM)
    subprocess.run([mpicc, "-o", tmp_path / "p", tmp_path / "p.c"], check=True)
    extra = ["--oversubscribe"] if "openmpi" in mpicc else []
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    words = ("-n", "3", "--", launcher, *extra, "-n", "2", str(tmp_path / "p"))
    done = jostle("overhead", "--json", *words, **root)
    assert done.code == 0, done.err
    content = json.loads(done.out)
    assert content["timed"] == "MPI_Init to MPI_Finalize"
    for run in content["runs"]:
        assert 0.1 <= run["mpi_s"] < run["wall_s"] - 0.55


@pytest.mark.in_turn
def test_stamps_of_several_ranks_and_programs_become_one_time(tmp_path: Path) -> None:
    from jostle.cli.launch.trial import mpi_seconds

    stamps = tmp_path / "stamps"
    assert mpi_seconds(stamps) is None
    second = 10**9
    lines = [
        (1, 10, 11, 15, 16),
        (2, 10, 12, 16, 17),  # two ranks: 11 to 16
        (3, 20, 21, 23, 24),  # another program after it
        (4, 30, 31, 0, 0),  # never came to MPI_Finalize
    ]
    stamps.write_text(
        "".join(f"{p} {' '.join(str(n * second) for n in at)}\n" for p, *at in lines) + "5 1\n"
    )
    assert mpi_seconds(stamps) == pytest.approx(5 + 2)


# ---- words ----


def made(plain: list[float], profiled: list[float]) -> object:
    from jostle.analysis import overhead

    return overhead(plain, profiled)


@pytest.mark.parametrize(
    ("profiled", "begin"),
    [
        ([1.02, 1.021, 1.019, 1.02], "Profiling cost 2.00 % (99 % interval +"),
        ([0.98, 0.981, 0.979, 0.98], "The profiled runs were 2.00 % faster"),
        ([1.0, 1.001, 0.999, 1.0], "No cost was detected: it is below 0."),
        ([0.8, 1.2, 1.0, 1.1], "Too noisy to decide: +2.50 %"),
        ([1.0], "Too few runs for a result."),
    ],
)
def test_verdicts_in_words(profiled: list[float], begin: str) -> None:
    from jostle.cli.views.overhead import verdict

    words = verdict(made([1.0, 1.001, 0.999, 1.0], profiled))  # type: ignore[arg-type]
    assert words.startswith(begin)


def test_the_chart_has_zero_and_fits() -> None:
    from jostle.cli.views.overhead import bars
    from jostle.plot import draw_bars

    found = made([10.0, 10.1, 9.9, 10.0], [10.05, 10.2, 10.0, 10.1])
    chart = bars("prog", "whole command", found)  # type: ignore[arg-type]
    for unicode in (True, False):
        lines = [
            "".join(text for text, _ in line)
            for line in draw_bars(chart, width=80, unicode=unicode)
        ]
        assert max(map(len, lines)) <= 80
        assert any(" 0 %" in line for line in lines)
        assert "█" in "".join(lines) if unicode else "".join(lines).isascii()


def test_golden_words() -> None:
    """The whole view of figures that are known; JOSTLE_RENEW=1 renews it."""
    code = (
        "from jostle.analysis import overhead;"
        "from jostle.cli.commands.maintain.overhead import _print;"
        "from jostle.cli.views.overhead import view;"
        "plain = [10.0, 10.1, 9.9, 10.02, 9.98, 10.05, 9.95, 12.0];"
        "profiled = [10.08, 10.17, 10.0, 10.1, 10.06, 10.12, 10.03, 10.09];"
        "_print(view('mpirun -n 4 ocean', 'ocean', 'MPI_Init to MPI_Finalize',"
        " overhead(plain, profiled), ['a note']), '/x/overhead-ocean.png')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "100", "PYTHONUTF8": "1"},
    )
    assert done.returncode == 0, done.stderr
    file = Path(__file__).parents[1] / "golden/overhead.txt"
    if os.environ.get("JOSTLE_RENEW"):
        file.write_text(done.stdout)
    assert done.stdout == file.read_text()
