"""Fixtures of all tests of the lab: those of jostle's tests, and their helpers."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from shared_fixtures import *  # noqa: F403
