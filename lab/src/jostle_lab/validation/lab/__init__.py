"""Plans, runs and scores experiments in a lab whose cause of interference is known."""
