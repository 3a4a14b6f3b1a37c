"""Interface for verbs of other distributions (jostle-lab): runs, their profiles and reports."""

from __future__ import annotations

from jostle.cli.doctor.checks import Check, file_system_of
from jostle.cli.launch.collect import clear, collect
from jostle.cli.launch.end_verdict import few_slices
from jostle.cli.launch.environment import RunSpool, child_environment
from jostle.cli.launch.one_run import RunOptions, once
from jostle.cli.launch.other_profilers import OtherProfiler
from jostle.cli.launch.rounds import RoundPlan, Rounds, busy_notes, run_rounds
from jostle.cli.launch.run_names import candidates, is_taken, job_name
from jostle.cli.launch.run_spool import NameOfRun
from jostle.cli.launch.spawn import CommandOutcome, run
from jostle.cli.launch.trial import ARMS, Trial, TrialDirectory
from jostle.cli.main import cli
from jostle.cli.next_step import steps
from jostle.cli.views.overhead import set_view
from jostle.cli.views.report import foot, sections, untitled
from jostle.cli.views.run_summary import headline
from jostle.report.verdict.verdict import USUAL, evaluate_job

__all__ = [
    "ARMS",
    "USUAL",
    "Check",
    "CommandOutcome",
    "NameOfRun",
    "OtherProfiler",
    "RoundPlan",
    "Rounds",
    "RunOptions",
    "RunSpool",
    "Trial",
    "TrialDirectory",
    "busy_notes",
    "candidates",
    "child_environment",
    "clear",
    "cli",
    "collect",
    "evaluate_job",
    "few_slices",
    "file_system_of",
    "foot",
    "headline",
    "is_taken",
    "job_name",
    "once",
    "run",
    "run_rounds",
    "sections",
    "set_view",
    "steps",
    "untitled",
]
