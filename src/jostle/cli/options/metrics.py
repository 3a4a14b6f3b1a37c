"""The options `--metric` (with shell completion) and `--plot` of charts over time."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from jostle.report.models.metrics import DEFAULT, names, view
from jostle.schema.metrics import BY_ID


def complete_metric(
    _ctx: click.Context, _param: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Complete a metric's name in the shell."""
    return [
        CompletionItem(name, help=BY_ID[name].doc if name in BY_ID else view(name).title)
        for name in names()
        if name.startswith(begun)
    ]


metric_option = click.option(
    "--metric",
    default=DEFAULT,
    show_default=True,
    metavar="NAME",
    shell_complete=complete_metric,
    help="Metric to show, or one of the pairs bytes, ops, time, cpu, communication, collectives, "
    "messages, gpu, wait.",
)
plot_option = click.option(
    "--plot", metavar="FILE", help="Write the chart also to FILE (.png, .svg or .pdf)."
)
