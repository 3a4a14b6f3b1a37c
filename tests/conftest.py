"""What every test may ask for: `shared_fixtures` has it, which the tests of the lab use as well."""

from shared_fixtures import *  # noqa: F403
