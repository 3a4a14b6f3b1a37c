"""The command `jostle`.

One verb per module, loaded when it is called; heavy imports (pyarrow, duckdb, matplotlib)
stay inside the functions that need them, so that `jostle --help` is fast.
"""

from jostle.cli.main import main

__all__ = ["main"]
