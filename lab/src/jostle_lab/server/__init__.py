"""The pages of studies for `jostle serve`."""
