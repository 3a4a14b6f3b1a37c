"""Serves performance CI: a plug-in of pytest, and reports that pipelines can show."""
