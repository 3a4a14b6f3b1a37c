"""`jostle topology demo`: a lab, some jobs, and what jostle finds of them."""

from __future__ import annotations

import click


@click.command("demo")
def command() -> int:
    """Build a fabric in a lab, let a job share another one's links, and see the verdict name it.

    Eight nodes on four leaf switches below a spine. Three MPI jobs run: one is watched, one shares
    its links, one sends more over links of its own. It takes a minute and a half and needs root.
    """
    from jostle_lab.cli.network_demo.show import show_demo

    return show_demo()
