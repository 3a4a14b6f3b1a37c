"""Data about the machines of a site: nodes, servers, storage targets and networks."""
