"""Runs the command `jostle` by `python3 -m jostle.cli`."""

import sys

from jostle.cli.main import main

sys.exit(main())
