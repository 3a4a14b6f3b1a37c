"""Rows on `jostle serve`: the API and the pages."""
