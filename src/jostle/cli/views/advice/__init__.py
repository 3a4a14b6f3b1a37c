"""Advice, predictions and replays in words and tables."""
