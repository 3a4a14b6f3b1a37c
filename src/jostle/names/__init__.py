"""Names of programs, users, batch jobs and launchers."""
