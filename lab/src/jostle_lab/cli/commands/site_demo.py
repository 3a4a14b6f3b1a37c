"""`jostle site demo`: builds a small site in a lab, injects faults, and shows jostle's findings."""

from __future__ import annotations

import click


@click.command("demo")
def command() -> int:
    """Build a small site in a lab, inject two faults, and see the verdict name them.

    Four nodes with Slurm and munge, a storage server, agents on all of them and a receiver. Three
    users' jobs run: one is watched, one is light, one has no profile. The receiver is killed and
    comes back, the server's disk is capped for some seconds. It takes two minutes and needs root.
    """
    from jostle_lab.cli.site_demo.show import show_demo

    return show_demo()
