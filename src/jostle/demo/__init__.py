"""The demo: two ordinary programs side by side on one disk, told as a story."""
