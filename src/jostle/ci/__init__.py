"""Performance tests in CI: a pytest plug-in, and reports that CI pipelines can show."""
