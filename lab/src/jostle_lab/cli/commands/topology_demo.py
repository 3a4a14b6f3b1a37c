"""`jostle topology demo`: builds a fabric in a lab, lets jobs share links, shows the verdict."""

from __future__ import annotations

import click


@click.command("demo")
def command() -> int:
    """Build a fabric in a lab, let two jobs share links, and show that the verdict names the cause.

    Eight nodes on four leaf switches below a spine. Three MPI jobs run: one is watched, one shares
    its links, one sends more over links of its own. It takes a minute and a half and needs root.
    """
    from jostle_lab.cli.network_demo.show import show_demo

    return show_demo()
