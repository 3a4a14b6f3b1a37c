"""jostle-ship sends the content of the spool, byte by byte, and then removes it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from receiver import serving
from shipping import Site, Writer, dead, shows, until

HEAD_BOOT_ID = 128  # its place in a head


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.fixture
def served(site: Site) -> Iterator[Site]:
    with serving(site.receiver, site.socket):
        yield site
    assert site.receiver.wrong == []


def test_a_finished_profile_is_sent_and_removed(served: Site) -> None:
    data = dead(served.spool / "slurm-1.5.77.jst")
    done = served.once()
    assert (done.returncode, done.stderr) == (0, "")
    sent = served.receiver.named("slurm-1.5.77.jst")
    assert bytes(sent.data) == data and sent.over
    assert served.waiting() == []
    assert next(iter(served.receiver.files))[0] == os.getuid()


def test_profiles_of_an_earlier_boot_are_over(served: Site) -> None:
    """Files are sent whatever process has their number now."""
    writer = Writer(served.spool / "none.1.2.jst", os.getpid())
    os.pwrite(writer.file, os.urandom(16), HEAD_BOOT_ID)
    writer.close()
    assert served.once().returncode == 0
    assert served.waiting() == [] and served.receiver.named("none.1.2.jst").over


def test_a_live_profile_is_followed(served: Site) -> None:
    name = "none.9.8.jst"
    writer = Writer(served.spool / name, os.getpid())
    writer.torn()

    def same() -> bool:
        return shows(served.receiver, writer)

    with served.running():
        until(same)
        for i in range(5):
            writer.slice(300 + i)
            writer.slice(30)
            if i == 3:
                writer.torn(50)
            until(same)
        assert not served.receiver.named(name).over
        before = len(served.receiver.posts)
        time.sleep(0.3)  # nothing changes: nothing is sent
        assert len(served.receiver.posts) == before
        writer.finish()
        until(lambda: served.waiting() == [])
    assert served.receiver.named(name).over
    assert bytes(served.receiver.named(name).data) == os.pread(writer.file, 1 << 20, 0)
    writer.close()


def test_a_restarted_shipper_asks_and_sends_only_the_rest(served: Site) -> None:
    writer = Writer(served.spool / "none.9.8.jst", os.getpid())
    writer.slice(100_000)
    assert served.once().returncode == 0
    writer.slice(50)
    assert served.once().returncode == 0
    sizes = [decoded for _, _, decoded in served.receiver.posts]
    assert sizes[1] > 100_000 and sizes[2] < 100  # asked, data; asked again ...
    assert sizes[3] < 20_000  # ... the head, whose state is not known, and the rest
    assert shows(served.receiver, writer)
    writer.close()


def test_shorts_and_batch_facts(served: Site) -> None:
    (served.spool / "slurm-1.0.jss").write_bytes(b"shorts")
    (served.spool / "slurm-1.0.said").write_bytes(b"x")
    (served.spool / "slurm-2.0.jss").write_bytes(b"old")
    (served.spool / "slurm-2.0.said").write_bytes(b"x")
    os.utime(served.spool / "slurm-2.0.jss", (time.time() - 2000,) * 2)
    (served.spool / "batch-c-1.5.jsb").write_text('{"event": "begin"}\n')
    (served.spool / "batch-c-2.5.jsb").write_text('{"event": "begin"}\n{"event": "end"}\n')
    assert served.once().returncode == 0
    assert served.waiting() == ["batch-c-1.5.jsb", "slurm-1.0.jss", "slurm-1.0.said"]
    assert len(served.receiver.files) == 4


def test_a_changed_file_is_not_removed(served: Site) -> None:
    """A file that is written to between the last bytes sent and the answer stays."""
    path = served.spool / "none.1.2.jst"
    dead(path)

    def fault(n: int) -> str | None:
        if served.receiver.posts:  # it has been asked for: this post brings the data
            with path.open("ab") as f:
                f.write(b"more")
        return None

    served.receiver.fault = fault
    done = served.once()
    assert "written to after its end" in done.stderr
    assert served.waiting() == ["none.1.2.jst"]


def test_status(served: Site) -> None:
    writer = Writer(served.spool / "none.9.8.jst", os.getpid())
    assert served.once().returncode == 0
    text = served.once("--status").stdout
    assert "1 files" in text and "last answer  stored" in text and "0 not sent yet" in text
    writer.close()


def test_only_one_shipper_per_spool(served: Site) -> None:
    with served.running() as process:
        until(lambda: (served.spool / ".jostle-ship").exists())
        time.sleep(0.2)
        done = served.once()
        assert done.returncode == 1 and "another jostle-ship" in done.stderr
        process.send_signal(signal.SIGTERM)
    assert served.once().returncode == 0
