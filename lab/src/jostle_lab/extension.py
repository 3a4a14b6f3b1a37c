"""What the lab adds to the command `jostle` (an entry point of the group `jostle.commands`)."""

from __future__ import annotations

from jostle.extensions import Extension

_VERBS = {
    "Experiment": {
        "signal": "Make controlled load at known instants, with a log of what it did.",
        "lab": "A small cluster on this machine, to run jobs and experiments on.",
        "inject": "Delay calls of a command on purpose, with a log of every delay.",
        "study": "Run probe/signal experiments: which program slows which.",
        "validate": "Measure how accurate estimates are, where the loss is known.",
        "simulate": "Make data of a site that does not exist, with the truth.",
    },
    "Maintain": {
        "demo": "Watch a neighbour slow a program, in a minute or two.",
        "site demo": "A small site in a lab, with two faults, and the verdict that names them.",
        "topology demo": "A fabric in a lab, with jobs that share its links.",
    },
}
_COMMANDS = "jostle_lab.cli.commands"

EXTENSION = Extension(
    verbs={
        section: {
            verb: (f"{_COMMANDS}.{verb.replace(' ', '_')}", line) for verb, line in verbs.items()
        }
        for section, verbs in _VERBS.items()
    },
    parts={
        "checks": "jostle_lab.cli.doctor:checks",
        "routes": "jostle_lab.server.routes:add",
        "reports": "jostle_lab.cli.study_report:study_reports",
        "overhead_set": "jostle_lab.cli.commands.overhead_set:measure_set",
    },
)
