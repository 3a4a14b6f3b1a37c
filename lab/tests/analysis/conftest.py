"""Makes the helpers of the repository's tests available here."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "repository"))
