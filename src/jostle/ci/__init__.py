"""Performance tests in CI: a pytest plug-in, and reports that pipelines can show."""
