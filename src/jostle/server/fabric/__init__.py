"""Fabrics, what their links carry, and what jobs sent through them."""
