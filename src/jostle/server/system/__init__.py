"""The whole system on a screen: nodes over time, and the load on each mount."""
