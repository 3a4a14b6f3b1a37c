"""Parts of `plant_machines`: what nodes and servers do, their counters, and the rows of both."""
