"""Parts of `plant_machines`: the load of nodes and servers, their counters and their rows."""
