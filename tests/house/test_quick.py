"""`make quick` finds the tests of a change, the nearest first."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import quick


def files(*changed: str) -> list[str]:
    return [name for group in quick.chosen(list(changed)) for name in group]


def test_tests_of_a_module_come_before_those_of_its_users() -> None:
    found = files("src/jostle/network/routes.py")
    own = found.index("tests/network/test_routes.py")
    users = found.index("tests/analysis/test_placement.py")
    others = found.index("tests/server/test_fabrics_api.py")
    assert own < users < others
    assert "tests/spark/test_source.py" not in found


def test_a_changed_test_comes_first_and_each_once() -> None:
    found = files("tests/web/test_web_jobs.py", "src/jostle/network/routes.py")
    assert found[0] == "tests/web/test_web_jobs.py"
    assert len(found) == len(set(found))


def test_what_no_import_leads_to_has_its_folder() -> None:
    assert files("lab/signals/src/memory.c")[0].startswith("lab/tests/signals/")
    assert files("runtime/decoder/jst_decode.c")[0].startswith("tests/reader/")
    assert files("runtime/src/core.c")[0] == "tests/runtime/test_counts.py"
    assert files("LICENSE") == []
