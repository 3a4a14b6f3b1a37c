"""Lab experiments with a known cause: planned, run and scored."""
