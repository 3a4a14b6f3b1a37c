"""The lab's subcommands of `jostle`, one module each."""
