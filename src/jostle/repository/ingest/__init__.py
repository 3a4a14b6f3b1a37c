"""Ingests profiles from spools (folders of new profiles) into the repository, each slice once."""
