"""`python3 -m jostle.cli` is the command `jostle`."""

import sys

from jostle.cli.main import main

sys.exit(main())
