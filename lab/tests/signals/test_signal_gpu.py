"""Patterns of GPUs, against a stand-in for the driver that logs its calls (fake_gpu.c)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from signal_runner import Done, Signals, consistent

MIB = 1 << 20


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the stand-in."""
    folder = tmp_path_factory.mktemp("driver")
    source = Path(__file__).with_name("fake_gpu.c")
    command = ["cc", "-O1", "-shared", "-fPIC", str(source), "-o", str(folder / "libcuda.so.1")]
    subprocess.run(command, check=True)
    (folder / "libnccl.so.2").symlink_to("libcuda.so.1")
    return folder


@pytest.fixture
def gpu(signals: Signals, driver: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Signals:
    monkeypatch.setenv("LD_LIBRARY_PATH", str(driver))
    monkeypatch.setenv("FAKE_GPU_LOG", str(tmp_path / "asked"))
    return signals


def asked(folder: Path) -> list[list[int]]:
    """Of each process: GPU, bytes to it, from it, within it, launches, bytes taken, and pinned."""
    texts = [path.read_text().split() for path in folder.glob("asked.*")]
    return sorted([int(word) for word in text] for text in texts if text[0] != "-1")


@pytest.mark.parametrize(
    ("direction", "to", "back"), [("h2d", 1, 0), ("d2h", 0, 1), ("both", 1, 1)]
)
def test_pcie(gpu: Signals, tmp_path: Path, direction: str, to: int, back: int) -> None:
    done = gpu.run(
        "pcie",
        "--direction",
        direction,
        "--chunk",
        "1MiB",
        "--iterations",
        "20",
        "--processes",
        "2",
    )
    assert asked(tmp_path) == [[0, to * 20 * MIB, back * 20 * MIB, 0, 0, 2 * MIB, 2 * MIB]] * 2
    assert done.sum("bytes") == 2 * 20 * MIB * (to + back)
    consistent(done)


def test_memory_that_is_not_pinned(gpu: Signals, tmp_path: Path) -> None:
    gpu.run("pcie", "--pageable", "--chunk", "64KiB", "--iterations", "3")
    assert asked(tmp_path) == [[0, 3 * 65536, 3 * 65536, 0, 0, 2 * 65536, 0]]


def test_which_gpu(gpu: Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_GPUS", "3")
    gpu.run("gpu-compute", "--device", "2", "--iterations", "7")
    assert [row[0] for row in asked(tmp_path)] == [2]
    assert asked(tmp_path)[0][4] == 7


def test_within_the_gpu(gpu: Signals, tmp_path: Path) -> None:
    done = gpu.run("gpu-memory", "--chunk", "2MiB", "--volume", "10MiB")
    assert asked(tmp_path)[0][3] == done.sum("bytes") == 10 * MIB


def test_multiplication(gpu: Signals, tmp_path: Path) -> None:
    """A chunk is a matrix: 250 x 250 is made 240 x 240, since the kernel works on tiles of 16."""
    done = gpu.run("gpu-multiply", "--chunk", str(250 * 250 * 4), "--iterations", "5")
    matrix = 240 * 240 * 4
    assert asked(tmp_path)[0][1:5] == [5 * 2 * matrix, 5 * matrix, 0, 5]
    assert done.sum("bytes") == 5 * 3 * matrix


@pytest.mark.parametrize("gpus", ["1", "4"])
def test_nccl(gpu: Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gpus: str) -> None:
    """Each process reduces as often as all others, on a GPU of its own where there are enough."""
    monkeypatch.setenv("FAKE_GPUS", gpus)
    done = gpu.run("nccl", "--chunk", "64KiB", "--iterations", "9", "--processes", "3")
    assert [row[0] for row in asked(tmp_path)] == ([0, 0, 0] if gpus == "1" else [0, 1, 2])
    assert [row[3] for row in asked(tmp_path)] == [9 * 65536] * 3
    assert done.sum("bytes") == 3 * 9 * 65536
    consistent(done)


@pytest.mark.parametrize("fails", ["ncclGetUniqueId", "ncclCommInitRank", "ncclAllReduce"])
def test_what_nccl_refuses(gpu: Signals, monkeypatch: pytest.MonkeyPatch, fails: str) -> None:
    monkeypatch.setenv("FAKE_GPU_FAILS", fails)
    done = gpu.run("nccl", "--iterations", "2", "--processes", "2", code=1)
    assert f"{fails} failed (unhandled system error)" in done.err


def refused(done: Done) -> str:
    assert done.code == 1
    return done.err


@pytest.mark.parametrize(
    ("fails", "words", "said"),
    [
        ("cuInit", "pcie", "driver does not start (out of memory)"),
        ("cuDevicePrimaryCtxRetain", "pcie", "GPU 0 cannot be used"),
        ("cuMemAlloc_v2", "gpu-memory", "taking memory failed on GPU 0 (out of memory)"),
        ("cuMemAllocHost_v2", "pcie", "allocating pinned memory failed"),
        ("cuMemcpyHtoDAsync_v2", "pcie", "a copy failed"),
        ("cuStreamSynchronize", "gpu-compute", "waiting failed"),
        ("cuModuleLoadData", "gpu-compute", "compiling a kernel failed"),
    ],
)
def test_what_the_driver_refuses(
    gpu: Signals, monkeypatch: pytest.MonkeyPatch, fails: str, words: str, said: str
) -> None:
    monkeypatch.setenv("FAKE_GPU_FAILS", fails)
    assert said in refused(gpu.run(words, "--iterations", "2", code=1))


@pytest.mark.parametrize("fault", ["FAKE_GPU_WRONG", "FAKE_GPU_IDLE"])
def test_a_product_that_is_wrong(gpu: Signals, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    """Also where a kernel does nothing, and the product of the step before is still there."""
    monkeypatch.setenv(fault, "1")
    said = refused(gpu.run("gpu-multiply", "--chunk", "64KiB", "--iterations", "2", code=1))
    assert "the GPU is faulty" in said


def test_no_such_gpu(gpu: Signals) -> None:
    said = refused(gpu.run("pcie", "--device", "4", code=1))
    assert "no GPU number 4: this process sees 1" in said


@pytest.mark.skipif(shutil.which("nvidia-smi") is not None, reason="there is a driver")
def test_without_a_driver(signals: Signals) -> None:
    assert "there is no driver for NVIDIA GPUs" in refused(signals.run("pcie", code=1))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("cpu --device 1", "--device is for patterns of GPUs, and cpu is none"),
        ("gpu-compute --direction h2d", "--direction is for pcie"),
        ("pcie --direction up", "it takes h2d, d2h or both"),
        ("gpu-multiply --chunk 16", "a matrix takes 1KiB to 2GiB"),
        ("nccl --chunk 7", "a multiple of 4"),
        ("gpu-compute --volume 1GiB", "moves no bytes"),
    ],
)
def test_options_that_do_not_fit(signals: Signals, words: str, said: str) -> None:
    done = signals.run(*words.split(), code=2)
    assert said in done.err
