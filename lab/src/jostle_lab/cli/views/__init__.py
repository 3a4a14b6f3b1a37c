"""Formats the output of the lab's subcommands for the terminal."""
