"""Resources that a job shares with other jobs: its calls and their load on each, slice by slice."""
