"""Builds the report on a study for `jostle report`: the text of `study show`, and figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from jostle.cli.for_verbs import foot, sections, untitled
from jostle.cli.output import on_paper
from jostle.cli.progress import Bar
from jostle.errors import UsageError
from jostle.plot.document import Commands, Document, Part, Picture, Section

if TYPE_CHECKING:
    from jostle.repository import Repository
    from jostle_lab.analysis.study.model import Law, StudyResult


def study_reports(store: Repository) -> dict[str, Callable[..., Document]]:
    """Return the functions that build the reports of a repository's studies, by study name."""
    return {name: partial(_study, store, name) for name in store.studies()}


def _study(store: Repository, name: str, viewer: int | None, flag: str, *, quiet: bool) -> Document:
    """Evaluate a study and lay out its report."""
    from jostle_lab.analysis.study.published_laws import laws
    from jostle_lab.study.result import result
    from jostle_lab.study.stored import tidy

    if viewer is not None:
        raise UsageError(
            "`--as-user` is for jobs; a study shows all of its runs.",
            hint=f"jostle report {name} without --as-user, or name a job.",
        )
    with Bar(f"evaluating {name}", quiet=quiet):
        found = result(store, name)
    return study_document(
        tidy(found),
        laws(found),
        [
            (
                f"jostle study show{flag} {name} --plot DIR",
                "Every figure, with a CSV of its numbers:",
            ),
            (f"jostle study show{flag} {name} --json", "All numbers, for programs:"),
            (f"jostle serve{flag}", "The same in a browser:"),
        ],
    )


def study_document(
    study_result: StudyResult, laws: Sequence[Law], commands: Sequence[tuple[str, str]]
) -> Document:
    """Lay out the report on a study: the text of `study show`, and figures.

    Args:
        study_result: Results of the study, in the order of charts.
        laws: Published laws, each with whether it holds in the study.
        commands: Command lines that show more, each with a description.
    """
    from jostle_lab.cli.views.study import view
    from jostle_lab.plot.study.draw_all import plans

    with on_paper():
        first, *found = sections(view(study_result, laws))
    figures = [Picture(page, draw) for page, draw in plans(study_result)]
    parts = [
        Part("In short", [untitled(first)]),
        Part(
            "What was found",
            [
                replace(section, title=section.title or "Notes")
                for section in found
                if section.blocks
            ],
        ),
        Part("Figures", [Section("", "", [figure]) for figure in figures]),
        Part("Next commands", [Section("", "", [Commands(commands)])]),
    ]
    return Document(
        "Study", study_result.study, "", "", [part for part in parts if part.sections], foot()
    )
