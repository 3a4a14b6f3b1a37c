"""Figures of placement: where jobs sit, and what that has to do with their speed."""
