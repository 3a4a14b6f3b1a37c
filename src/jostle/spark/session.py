"""Starts Spark, or connects to its cluster, and reports understandable errors if that fails."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from jostle.spark.errors import NO_PYSPARK, SparkError, plain

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_REACH_S = 5.0
#: Time after which a cluster counts as without free workers, s.
_WORKER_S = 60.0
#: How often a part is tried again after its worker died.
_TRIES = 4
_JAVA = (
    "apt-get install openjdk-17-jre-headless, or set JAVA_HOME to a Java of version 17 or newer."
)


class Cluster:
    """Spark with its workers, on this machine or on others.

    Attributes:
        session: The session, within the `with` block.
    """

    session: SparkSession

    def __init__(self, master: str) -> None:
        """Create the object; Spark is started by the `with` block.

        Args:
            master: Address in Spark's notation: local[2], spark://HOST:PORT, yarn, k8s://HOST:PORT;
                `local` takes all cores of this machine.
        """
        self._master = "local[*]" if master == "local" else master
        self._log: Path | None = None
        self._is_ours = False

    def __enter__(self) -> Cluster:
        """Start Spark, unless this process has a session already: then that session is used.

        Raises:
            SparkError: Spark cannot be started, or its master or workers cannot be reached.
        """
        try:
            from pyspark.sql import SparkSession
        except ImportError:
            raise NO_PYSPARK from None
        running = SparkSession.getActiveSession()
        if running is not None:
            self.session = running
            return self
        _check_java()
        _check_master(self._master)
        self.session = self._started()
        self._is_ours = True
        if not self._master.startswith("local"):
            self._await_worker()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop Spark, and its Java process, if it was started here."""
        if self._is_ours:
            from pyspark import SparkContext

            gateway: Any = SparkContext._gateway
            with contextlib.suppress(Exception):  # it may have died, which was reported
                self.session.stop()
            gateway.shutdown()
            gateway.proc.stdin.close()
            gateway.proc.wait(10)
            SparkContext._gateway = SparkContext._jvm = None
            self._is_ours = False
        if self._log is not None:
            self._log.unlink(missing_ok=True)

    def _started(self) -> SparkSession:
        from pyspark import SparkConf, SparkContext
        from pyspark.java_gateway import launch_gateway
        from pyspark.sql import SparkSession

        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        conf = SparkConf()
        for name, value in _settings(self._master).items():
            conf.set(name, value)
        handle, log = tempfile.mkstemp(prefix="jostle-spark-", suffix=".log")
        self._log = Path(log)
        try:
            # Java's and Spark's logs go to this file, not to the terminal.
            gateway = launch_gateway(conf, {"stdout": handle, "stderr": handle})
            return SparkSession(SparkContext(conf=conf, gateway=gateway))
        except Exception as error:
            raise plain(error, self.said()) from error
        finally:
            os.close(handle)

    def said(self) -> str:
        """Return the end of Spark's log."""
        if self._log is None:
            return ""
        with contextlib.suppress(OSError):
            return self._log.read_text(errors="replace")[-20_000:]
        return ""

    def _await_worker(self) -> None:
        tracker: Any = self.session.sparkContext._jsc.sc().statusTracker()
        end = time.monotonic() + _WORKER_S
        while len(tracker.getExecutorInfos()) < 2:  # the first is the driver
            if time.monotonic() > end:
                raise SparkError(
                    f"{self._master} gave no worker within {_WORKER_S:.0f} s.",
                    hint="Check on its web page that workers are alive and have free cores and "
                    "memory; workers must reach this machine, too.",
                )
            time.sleep(0.1)


def _settings(master: str) -> dict[str, str]:
    settings = {
        "spark.master": master,
        "spark.app.name": "jostle",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.maxResultSize": "0",  # no limit: the whole answer is needed
        "spark.sql.python.filterPushdown.enabled": "true",
    }
    if master.startswith("local["):
        cores = master.removeprefix("local[").partition("]")[0].partition(",")[0]
        settings |= {
            "spark.master": f"local[{cores},{_TRIES}]",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
        }
    return settings


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = Path(home, "bin", "java") if home else None
    if java is not None and not os.access(java, os.X_OK):
        raise SparkError(
            f"Spark needs Java, but JAVA_HOME is {home}, which has no bin/java.",
            hint=f"Correct or unset it; {_JAVA}",
        )
    if java is None and shutil.which("java") is None:
        raise SparkError("Spark needs Java, which was not found.", hint=_JAVA)


def _check_master(master: str) -> None:
    """Check that a master can be reached, since Spark would need a minute to report a failure."""
    if not master.startswith("spark://"):
        return
    why = ""
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), _REACH_S).close()
        except (OSError, ValueError) as error:
            why = str(error) if isinstance(error, OSError) else "HOST:PORT is expected"
        else:
            return
    raise SparkError(
        f"The master {master} cannot be reached: {why}.",
        hint="Start the master, or name a different one (docs/how-to/ask-with-spark.md).",
    )
