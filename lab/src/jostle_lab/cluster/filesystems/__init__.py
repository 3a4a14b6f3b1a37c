"""The shared file systems that a lab can have, one module each."""
