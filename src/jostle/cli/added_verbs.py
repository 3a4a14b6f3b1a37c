"""Verbs that other Python distributions add to the command line, and groups that contain them."""

from __future__ import annotations

import importlib

import click

from jostle.extensions import extensions


def added_verbs() -> dict[str, tuple[str, str]]:
    """Return the module and the help line of each verb of all extensions."""
    return {
        verb: entry
        for extension in extensions()
        for verbs in extension.verbs.values()
        for verb, entry in verbs.items()
    }


def command_of(module: str) -> click.Command:
    """Import the module of a verb and return its command."""
    command: click.Command = importlib.import_module(module).command
    return command


class ExtensibleGroup(click.Group):
    """A group of commands to which extensions add verbs of two words: `site demo`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the group's commands and of the added ones."""
        own = f"{self.name} "
        return [
            *super().list_commands(ctx),
            *(verb.removeprefix(own) for verb in added_verbs() if verb.startswith(own)),
        ]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command of the group, or an added one."""
        if command := super().get_command(ctx, cmd_name):
            return command
        entry = added_verbs().get(f"{self.name} {cmd_name}")
        return command_of(entry[0]) if entry else None
