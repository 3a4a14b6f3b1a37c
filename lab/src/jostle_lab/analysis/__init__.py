"""What studies and validations found, computed from their runs."""
