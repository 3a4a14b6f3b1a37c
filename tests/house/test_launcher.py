"""jostle-run, the launcher that needs no Python."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def launcher(library: Path) -> Path:
    return library.parent / "jostle-run"


def run(*command: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("JOSTLE", "LD_"))}
    return subprocess.run(
        [str(c) for c in command], env={**clean, **env}, capture_output=True, text=True
    )


def show(launcher: Path, variable: str, *options: str | Path, **env: str) -> str:
    """The value of a variable inside the launched program."""
    done = run(launcher, *options, "--", "/bin/sh", "-c", f'printf %s "${variable}"', **env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def for_loaders(library: Path) -> Path:
    """The name that leads each loader to a library of its class; without it, the library."""
    folder = library.parent / "jostle-preload"
    return folder / "$PLATFORM" / library.name if folder.exists() else library


def test_preloads_the_library_alongside_it(launcher: Path, library: Path) -> None:
    assert show(launcher, "LD_PRELOAD", JOSTLE="off") == str(for_loaders(library))
    shown = Path(str(for_loaders(library)).replace("$PLATFORM", "x86_64"))
    assert shown.samefile(library)


def test_goes_before_other_preloads_and_only_once(launcher: Path, library: Path) -> None:
    name, other = for_loaders(library), "libm.so.6"
    for before in (other, f"{name}:{other}", f"{library} {other}", f":{other}: {library}:{name}"):
        after = show(launcher, "LD_PRELOAD", LD_PRELOAD=before, JOSTLE="off")
        assert after == f"{name}:{other}"


def test_without_the_folder_for_loaders(launcher: Path, library: Path, tmp_path: Path) -> None:
    for file in (launcher, library):
        shutil.copy(file, tmp_path)
    shown = show(tmp_path / launcher.name, "LD_PRELOAD", JOSTLE="off")
    assert shown == str(tmp_path / library.name)


def test_gpu_names_the_recorder_to_cuda(launcher: Path, library: Path) -> None:
    """The recorder is loaded on request only, and never replaces another tool's."""
    name, recorder = "CUDA_INJECTION64_PATH", str(library.with_name("libjostle_cuda.so"))
    assert show(launcher, name, JOSTLE="off") == ""
    assert show(launcher, name, "--gpu", JOSTLE="off") == recorder
    assert show(launcher, "JOSTLE_GPU", "--gpu", JOSTLE="off") == "on"
    assert show(launcher, "JOSTLE_GPU", "--gpu", JOSTLE="off", JOSTLE_GPU="kernels") == "kernels"
    done = run(launcher, "--gpu", "true", JOSTLE="off", **{name: "/opt/tool.so"})
    assert done.returncode == 125 and "/opt/tool.so, another tool's library" in done.stderr


def test_options_become_variables(launcher: Path, tmp_path: Path) -> None:
    options = ("-s", "250ms", "--job", "night", "-d", tmp_path)
    env = {"JOSTLE": "off"}
    assert show(launcher, "JOSTLE_SLICE", *options, **env) == "250ms"
    assert show(launcher, "JOSTLE_JOB", *options, **env) == "night"
    assert show(launcher, "JOSTLE_SPOOL", *options, **env) == str(tmp_path)


def test_options_of_the_command_are_its_own(launcher: Path) -> None:
    done = run(launcher, "/bin/echo", "-s", "--help", JOSTLE="off")
    assert done.stdout == "-s --help\n"


def test_without_its_library(launcher: Path, tmp_path: Path) -> None:
    lonely = shutil.copy2(launcher, tmp_path)
    done = run(lonely, "true")
    assert done.returncode == 125
    assert "libjostle.so is neither in" in done.stderr


def test_installed(root: Path, library: Path, tmp_path: Path) -> None:
    """`cmake --install` gives an operator all there is, wherever the prefix is."""
    if not (root / "build" / "cmake_install.cmake").exists():
        pytest.skip("needs the build tree of `make build`")
    subprocess.run(
        ["cmake", "--install", root / "build", "--prefix", tmp_path],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    preload = show(tmp_path / "bin" / "jostle-run", "LD_PRELOAD", JOSTLE="off")
    file = Path(preload.replace("$PLATFORM", "x86_64"))
    assert file.is_relative_to(tmp_path)
    assert file.is_file()
    assert (tmp_path / "include" / "jostle" / "jst_decode.h").is_file()
    (module,) = (tmp_path / "share" / "modulefiles" / "jostle").iterdir()
    assert module.read_text().startswith("#%Module")


def test_exit_status_is_the_commands(launcher: Path) -> None:
    assert run(launcher, "/bin/sh", "-c", "exit 7", JOSTLE="off").returncode == 7
    assert run(launcher, "/bin/sh", "-c", "kill -9 $$", JOSTLE="off").returncode == -9


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ([], 125, "no command"),
        (["-s", "5m", "true"], 125, "give 100ms to 60s"),
        (["-s", "61", "true"], 125, "give 100ms to 60s"),
        (["-s", "nan", "true"], 125, "give 100ms to 60s"),
        (["-j", "", "true"], 125, "name is empty"),
        (["-d", "/no/such", "true"], 125, "make it first"),
        (["--nonsense", "true"], 125, "--help"),
        (["no-such-command-here"], 127, "no such command"),
        (["/etc"], 126, "Permission denied"),
    ],
)
def test_mistakes(launcher: Path, arguments: list[str], status: int, message: str) -> None:
    done = run(launcher, *arguments)
    assert done.returncode == status
    assert message in done.stderr
    assert done.stdout == ""


def test_a_missing_interpreter_is_named(launcher: Path, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    done = run(launcher, script)
    assert done.returncode == 126
    assert "interpreter" in done.stderr


def test_version(launcher: Path) -> None:
    import jostle

    assert run(launcher, "--version").stdout == f"jostle-run {jostle.__version__}\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
@pytest.mark.parametrize("size", ["64k", "480k"])  # a profile begins with 512 KiB
def test_a_full_spool_is_reported_before_the_start(
    launcher: Path, tmp_path: Path, size: str
) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "disk", tmp_path]
    if subprocess.run(mount).returncode:
        pytest.skip("no mounts here")
    try:
        done = run(launcher, "-d", tmp_path, "--", "/bin/echo", "hello")
        silent = run(launcher, "--", "/bin/echo", JOSTLE="off", JOSTLE_SPOOL=str(tmp_path))
    finally:
        subprocess.run(["umount", "-l", tmp_path], check=True)
    assert (done.returncode, done.stdout) == (0, "hello\n")
    assert f"the file system of the spool {tmp_path} is full" in done.stderr.splitlines()[0]
    assert silent.stderr == ""
