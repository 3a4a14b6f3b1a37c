"""Returns stored studies as plain values, for lists and `--json`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jostle.repository import Repository
    from jostle_lab.analysis.study.model import Setting, StudyResult

#: The write patterns of Shah, 2020, in their order there.
_FIRST = ("open-write-close", "write-seek", "aggregate-write")


def stored_studies(store: Repository) -> list[dict[str, Any]]:
    """List the studies of a repository, as `study list --json` shows them."""
    found = []
    for name in store.studies():
        plan, records = store.study(name).plan(), store.study(name).read_runs()
        config = plan.get("config") or {}
        failed = sum(any(one.get("error") for one in record["programs"]) for record in records)
        found.append(
            {
                "name": name,
                "description": config.get("description", ""),
                "done": len(records),
                "total": len(plan.get("runs") or []),
                "failed": failed,
                "place": (plan.get("place") or {}).get("place", ""),
            }
        )
    return found


def study_json(study_result: StudyResult) -> dict[str, Any]:
    """Return the results of a study as plain values, as `study show --json` prints them."""
    from jostle_lab.analysis.study.published_laws import laws

    return tidy(study_result).to_json() | {"laws": [law.to_json() for law in laws(study_result)]}


def tidy(result: StudyResult) -> StudyResult:
    """Sort everything: the patterns of Shah, 2020, first, then in the order of the study's file.

    Runs are made round-robin and in a random order; tables, figures and pages need a fixed one.
    """
    names = sorted(
        dict.fromkeys(result.programs),
        key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST),
    )
    place = {name: number for number, name in enumerate(names)}

    def key(one: str, other: str, setting: Setting) -> tuple[object, ...]:
        chunk = -1 if setting.chunk is None else setting.chunk
        return (
            setting.periodic,
            setting.shared,
            setting.more,
            chunk,
            place.get(one, 99),
            setting.processes[0],
            place.get(other, 99),
            setting.processes[1],
        )

    kuo = result.kuo and replace(
        result.kuo, rows=sorted(result.kuo.rows, key=lambda r: key(r.small, r.large, r.setting))
    )
    return replace(
        result,
        programs=names,
        standalone=sorted(
            result.standalone,
            key=lambda standalone: key(standalone.program, "", standalone.setting),
        ),
        cells=sorted(result.cells, key=lambda cell: key(cell.probe, cell.signal, cell.setting)),
        curves=sorted(
            result.curves, key=lambda c: (c.probe == c.signal, *key(c.probe, c.signal, c.setting))
        ),
        imprints=sorted(result.imprints, key=lambda i: (key(i.probe, i.signal, i.setting), i.run)),
        traces=sorted(
            result.traces, key=lambda trace: key(trace.probe, trace.signal, trace.setting)
        ),
        kuo=kuo,
    )
