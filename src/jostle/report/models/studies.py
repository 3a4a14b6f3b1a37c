"""Studies as lists and `--json` show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jostle.analysis.study.model import StudyResult
    from jostle.repository import Repository


def stored_studies(store: Repository) -> list[dict[str, Any]]:
    """List the studies of a repository: what `study list --json` says of them."""
    found = []
    for name in store.studies():
        plan, records = store.study(name).plan(), store.study(name).read_runs()
        config = plan.get("config") or {}
        failed = sum(any(one.get("error") for one in record["programs"]) for record in records)
        found.append({"name": name, "description": config.get("description", ""),
                      "done": len(records), "total": len(plan.get("runs") or []), "failed": failed,
                      "place": (plan.get("place") or {}).get("place", "")})  # fmt: skip
    return found


def study_json(study_result: StudyResult) -> dict[str, Any]:
    """Return what a study found as plain values: what `study show --json` prints."""
    from jostle.analysis import laws

    return study_result.to_json() | {"laws": [law.to_json() for law in laws(study_result)]}
