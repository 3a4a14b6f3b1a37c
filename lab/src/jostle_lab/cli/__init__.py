"""The subcommands that the lab package adds to the command `jostle`."""
