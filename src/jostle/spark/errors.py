"""Converts errors of Spark into messages for users."""

from __future__ import annotations

import re

from jostle.errors import JostleError


class SparkError(JostleError):
    """Spark cannot be started, or could not answer."""


NO_PYSPARK = SparkError(
    "pyspark is not installed in this Python, so Spark cannot be used.",
    hint="pip install 'jostle[spark]'; or leave out --engine.",
)
#: Texts of Spark, with their meaning and remedy.
_KNOWN = (
    (
        r"UnsupportedClassVersionError",
        "The Java here is too old for Spark, which needs 17.",
        "Set JAVA_HOME to a newer one, or install openjdk-17-jre-headless.",
    ),
    (
        r"PYTHON_VERSION_MISMATCH|Python in worker has different version",
        "The workers have another version of Python than this one.",
        "Set PYSPARK_PYTHON to a Python of the same version, with jostle in it, on all nodes.",
    ),
    (
        r'Cannot run program "([^"]+)"',
        "The workers have no Python at {0}.",
        "Set PYSPARK_PYTHON to the path of a Python on all nodes with jostle in it.",
    ),
    (
        r"No module named '([\w.]+)'",
        "The Python of the workers lacks {0}.",
        "Install jostle[spark] there, in the same version; or set PYSPARK_PYTHON to one that has "
        "it.",
    ),
    (
        r"All masters are unresponsive",
        "The master of the cluster did not answer.",
        "Look at its web page; the versions of Spark must be equal.",
    ),
    (
        r"RpcIncompatible|InvalidClassException|local class incompatible",
        "The cluster runs another version of Spark than the pyspark here.",
        "Install the pyspark of its version: pip install pyspark==VERSION.",
    ),
    (
        r"Job aborted due to stage failure.*(?:ExecutorLostFailure|exited unexpectedly|crashed)",
        "The workers failed repeatedly at the same part of the query.",
        "Their memory may be too small: give fewer cores to each, or more memory (SPARK_CONF_DIR).",
    ),
)


def plain(error: Exception, said: str = "") -> SparkError:
    """Return an error of Spark as a message for users.

    Args:
        error: The error.
        said: Text of Spark's log.
    """
    text = f"{error}\n{said}"
    for pattern, meaning, fix in _KNOWN:
        if known := re.search(pattern, text, re.DOTALL):
            return SparkError(meaning.format(*known.groups()), hint=fix)
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first = lines[0] if lines else type(error).__name__
    return SparkError(f"Spark failed: {first}", hint="Leave out --engine to query without Spark.")
