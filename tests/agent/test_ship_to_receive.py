"""jostle-ship and jostle receive as installed: the repository has the content of the spool."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from shipping import Site, munged, until

from conftest import ROOT, native
from jostle.repository import Repository

sys.path.append(str(ROOT / "tests" / "receive"))
from running_receiver import Running, start

_WORK = """
while [ ! -e {place}/stop ]; do
    echo some text >> {place}/$$; read x < {place}/$$; read -t 0.1 y <> {pipe}
done; true"""


def rows(repository: Path) -> list[tuple[object, ...]]:
    store = Repository(repository)
    table = store.query(
        "SELECT processes.pid, program, slices.* EXCLUDE (process) FROM slices "
        "JOIN processes USING (process) ORDER BY ALL"
    )
    store.close()
    return [tuple(row.values()) for row in table.to_pylist()]


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[Running]:
    folder = tmp_path / "receive"
    folder.mkdir()
    receiver = start(folder)
    yield receiver
    receiver.process.kill()
    receiver.process.wait()


def begin_work(site: Site, place: Path) -> list[subprocess.Popen[bytes]]:
    """Start processes with a profile, which end when there is a file `stop`."""
    library = native("libjostle.so")
    assert library is not None
    place.mkdir()
    os.mkfifo(place / "pipe")
    work = _WORK.format(place=place, pipe=place / "pipe")
    environment = {
        **os.environ,
        "LD_PRELOAD": str(library),
        "JOSTLE_SPOOL": str(site.spool),
        "JOSTLE_SLICE": "200ms",
        "JOSTLE_JOB": "work",
    }
    return [subprocess.Popen(["bash", "-c", work], env=environment) for _ in range(3)]


def test_rows_are_those_of_the_spool(tmp_path: Path, receiver: Running) -> None:
    """Shipper and receiver are killed meanwhile; then each row of the spool is there once."""
    token = tmp_path / "token"
    token.write_text("secret-n1")
    token.chmod(0o600)
    site = Site(
        tmp_path, token_file=str(token), node="n1", receiver=f"http://127.0.0.1:{receiver.port}"
    )
    work = begin_work(site, tmp_path / "work")
    shipper = site.begin()
    time.sleep(1)
    receiver.kill()
    time.sleep(0.3)
    receiver.restart()
    time.sleep(0.5)
    shipper.send_signal(signal.SIGKILL)
    shipper.wait()
    (tmp_path / "work" / "stop").touch()
    for process in work:
        assert process.wait(30) == 0
    shutil.copytree(site.spool, tmp_path / "copy")
    with site.running():
        until(lambda: site.waiting() == [], 40)
    direct = Repository(tmp_path / "direct", create=True)
    direct.ingest([tmp_path / "copy"])
    direct.close()
    expected = rows(tmp_path / "direct")
    assert len(expected) > 10
    until(lambda: rows(receiver.folder / "repository") == expected, 40)


def test_munge(tmp_path: Path) -> None:
    with munged(tmp_path) as munge:
        check_munge(tmp_path, munge)


def check_munge(tmp_path: Path, munge: Path) -> None:
    folder = tmp_path / "receive"
    folder.mkdir()
    receiver = start(folder, config=f'munge = true\nmunge_socket = "{munge}"\n')
    try:
        site = Site(
            tmp_path,
            munge="on",
            munge_socket=str(munge),
            node="n1",
            receiver=f"http://127.0.0.1:{receiver.port}",
        )
        (site.spool / "none.1.1.jss").write_bytes(b"jostle")
        done = site.once()
        assert (done.returncode, done.stderr) == (0, "")
        sent = receiver.mirror / "n1" / str(os.getuid()) / "none.1.1.jss"
        assert sent.read_bytes() == b"jostle"
    finally:
        receiver.process.kill()
        receiver.process.wait()
