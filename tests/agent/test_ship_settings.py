"""One configuration: the shipper empties the spool that programs write into, and no other."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from receiver import serving
from shipping import Site, dead, shipper

from conftest import native
from jostle.cli.config import setting_lines

INTEGRATIONS = Path(__file__).resolve().parents[2] / "integrations"
OPERATORS_FILE = Path("/etc/jostle/jostle.conf")
pytestmark = pytest.mark.skipif(
    OPERATORS_FILE.exists(), reason="JOSTLE_CONFIG has no effect on this machine"
)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def without_spool(site: Site, text: str = "") -> None:
    lines = site.config.read_text().splitlines(keepends=True)
    site.config.write_text("".join(line for line in lines if not line.startswith("spool")) + text)


def environment(**variables: object) -> dict[str, str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("JOSTLE")}
    return clean | {key: str(value) for key, value in variables.items()}


def ship(site: Site, *words: str, **variables: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(shipper()), "--config", str(site.config), *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environment(**variables),
    )


def named(folder: Path, text: str) -> Path:
    path = folder / "jostle.conf"
    path.write_bytes(os.fsencode(text))
    return path


def test_the_spool_is_that_of_the_configuration_that_programs_read(site: Site) -> None:
    without_spool(site)
    other = site.spool.with_name("other")
    other.mkdir(mode=0o1777)
    kept = dead(other / "job.1.2.jst")
    dead(site.spool / "job.1.2.jst")
    config = named(site.spool.parent, f"spool = {site.spool}\n")
    with serving(site.receiver, site.socket):
        done = ship(site, "--once", JOSTLE_CONFIG=config)
        assert (done.returncode, done.stderr) == (0, "")
        assert site.waiting() == []
        assert (other / "job.1.2.jst").read_bytes() == kept
        done = ship(site, "--once", JOSTLE_CONFIG=config, JOSTLE_SPOOL=other)
        assert (done.returncode, done.stderr) == (0, "")
    assert [path.name for path in other.iterdir()] == [".jostle-ship"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "no spool is set"),
        ("", "no spool is set"),
        ("spool = relative\n", "relative cannot be used"),
        ("spool = /" + "x" * 255 + "\n", "cannot be used"),
        ("spool = {other}\n", "but `spool` here is"),
    ],
)
def test_no_spool_is_guessed(site: Site, text: str | None, why: str) -> None:
    other = site.spool.with_name("other")
    if text is None or "{other}" not in text:
        without_spool(site)
    variables: dict[str, object] = {}
    if text is not None:
        variables["JOSTLE_CONFIG"] = named(site.spool.parent, text.format(other=other))
    for words in (["--once"], []):
        done = ship(site, *words, **variables)
        assert done.returncode == 2
        assert why in done.stderr
        assert done.stderr.count("\n") == 1
        assert "Fix: " in done.stderr


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe", "large"])
def test_a_configuration_that_cannot_be_read_is_not_passed_over(site: Site, kind: str) -> None:
    config = site.spool.parent / "jostle.conf"
    if kind == "folder":
        config.mkdir()
    elif kind == "pipe":
        os.mkfifo(config)
    elif kind == "large":
        config.write_text("#" * 70_000)
    dead(site.spool / "job.1.2.jst")
    done = ship(site, "--once", JOSTLE_CONFIG=config)
    assert done.returncode == 2
    assert f"{config} cannot be used" in done.stderr
    assert site.waiting() == ["job.1.2.jst"]


@pytest.mark.parametrize(
    "text",
    [
        "spool = {spool}  # here\r\nmunge = off # no\r\n",
        "  spool={spool}",
        "\tspool\t=\t{spool}\t\r",
    ],
)
def test_comments_and_ends_of_lines_of_all_kinds(site: Site, text: str) -> None:
    without_spool(site, text.format(spool=site.spool))
    done = ship(site, "--status")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{site.spool}: 0 files" in done.stdout


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"munge = off\0\nreceiver = x\n", "NUL"),
        (b"munge\n", "no `key = value`"),
        (b"= x", "no key"),
    ],
)
def test_a_configuration_that_is_none_is_refused(site: Site, content: bytes, why: str) -> None:
    site.config.write_bytes(content)
    done = ship(site, "--once", JOSTLE_SPOOL=site.spool)
    assert done.returncode == 2
    assert why in done.stderr


@pytest.mark.parametrize(
    ("text", "spool_of_user"),
    [
        ("spool = {a}\n", None),
        ("spool = {a}\n", "{b}"),
        ("spool = {a}\nlock = spool\n", "{b}"),
        ("spool = {a}\nlock = slice,\tspool\n", "{b}"),
        ("spool = {b}\nspool = {a} # here\r\n", None),
        ("spool = {a}\nspool = relative\n", "{b}"),
        ("spool = {a}\n", "relative"),
        ("spool = {a}\x0block = spool\n", "{b}"),
        ("spool = {a}/" + "é" * 100, "{b}"),
        ("spool = {a}", ""),
    ],
)
def test_runtime_shipper_and_command_agree(
    site: Site, tmp_path: Path, text: str, spool_of_user: str | None
) -> None:
    library = native("libjostle.so")
    assert library is not None
    spools = {name: tmp_path / name for name in "ab"}
    for folder in spools.values():
        folder.mkdir(mode=0o1777)
    fields = {name: str(path) for name, path in spools.items()}
    variables: dict[str, object] = {"JOSTLE_CONFIG": named(tmp_path, text.format(**fields))}
    if spool_of_user is not None:
        variables["JOSTLE_SPOOL"] = spool_of_user.format(**fields)
    subprocess.run(
        ["/bin/sleep", "0.5"],
        check=True,
        capture_output=True,
        env=environment(LD_PRELOAD=library, JOSTLE_SLICE="100ms", **variables),
    )
    (profile,) = tmp_path.rglob("*.jst")
    code = "from jostle.cli.config import settings; print(settings().spool)"
    command = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env=environment(**variables),
    )
    assert command.stdout.strip() == str(profile.parent)
    without_spool(site)
    status = ship(site, "--status", **variables)
    assert f"{profile.parent}: 1 files" in status.stdout, status.stderr


def test_lines_are_split_as_the_runtime_splits_them() -> None:
    content = b" a = b = c # d\r\n\n#x = y\nwords\n=\nlast=\xff"
    assert list(setting_lines(content)) == [
        ("a", "b = c"),
        ("", None),
        ("", None),
        ("words", None),
        ("", ""),
        ("last", "\udcff"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "spool = {spool}\n",
        "spool = /nowhere\n\tspool={spool} # here\r\nlock = spool\n",
        "#spool = /x\nspool = {spool}",
    ],
)
def test_scripts_of_batch_systems_find_the_same_spool(tmp_path: Path, text: str) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    config = named(tmp_path, text.format(spool=spool))
    scripts = [(INTEGRATIONS / name).read_text() for name in ("pbs/write_facts", "slurm/job_facts")]
    rule = re.compile(r"spool=\$\(sed.*?\)\n", re.DOTALL)
    assert len({rule.findall(script)[0] for script in scripts}) == 1
    script = tmp_path / "write_facts"
    script.write_text(scripts[0].replace(str(OPERATORS_FILE), str(config)))
    subprocess.run(["sh", script, "begin", "pbs", "12"], check=True, env=environment())
    assert [path.name for path in spool.iterdir()] == ["batch-pbs-12.0.jsb"]
