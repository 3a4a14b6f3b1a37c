"""The verbs that the lab adds to the command `jostle`."""
