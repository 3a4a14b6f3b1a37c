"""The web pages of studies for `jostle serve`."""
