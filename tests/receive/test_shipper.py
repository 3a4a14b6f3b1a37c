"""The real shipper and a real process: the receiver's data agree with the process's."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from running_receiver import Running
from test_end_to_end import assert_as_direct, wait_until_queryable

from jostle import NativeMissingError, native_path


def test_the_real_shipper_and_a_real_process(
    tmp_path: Path, starting: Callable[..., Running]
) -> None:
    try:
        shipper, run = native_path("jostle-ship"), native_path("jostle-run")
    except NativeMissingError:
        pytest.skip("the agent was not built")
    receiver = starting(folder=tmp_path)
    spool, token = tmp_path / "spool", tmp_path / "token"
    spool.mkdir(mode=0o1777)
    token.touch(mode=0o600)
    token.write_text("secret-n1\n")
    (tmp_path / "agent.conf").write_text(
        f"spool = {spool}\nreceiver = http://127.0.0.1:{receiver.port}\nnode = n1\n"
        f"token_file = {token}\ninterval = 100ms\n"
    )
    program = "import time\nfor i in range(40): open('o', 'ab').write(bytes(i)); time.sleep(0.1)"
    with (
        subprocess.Popen([shipper, "--config", tmp_path / "agent.conf"]) as ship,
        subprocess.Popen(
            [run, "--", sys.executable, "-c", program],
            cwd=tmp_path,
            env={**os.environ, "JOSTLE_SPOOL": str(spool), "JOSTLE_SLICE": "100ms"},
        ) as process,
    ):
        try:
            time.sleep(1.2)
            assert list(receiver.mirror.glob("n1/*/*.jst"))
            receiver.kill()
            time.sleep(0.5)
            receiver.restart()
            time.sleep(0.8)
            ship.send_signal(signal.SIGSTOP)  # a copy, before the node's file goes
            process.wait(60)
            shutil.copytree(spool, tmp_path / "copy")
            ship.send_signal(signal.SIGCONT)
            end = time.monotonic() + 60
            while list(spool.glob("*.js*")):
                assert time.monotonic() < end, list(spool.iterdir())
                time.sleep(0.1)
            wait_until_queryable(receiver)
        finally:
            ship.send_signal(signal.SIGCONT)
            ship.terminate()
            process.kill()
    assert_as_direct(tmp_path, [tmp_path / "copy"], slices=25)
