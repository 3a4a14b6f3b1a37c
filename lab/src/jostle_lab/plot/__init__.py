"""Charts and figures of studies and validations."""
