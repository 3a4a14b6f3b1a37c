"""Shows advice, predictions and replays as text and tables."""
