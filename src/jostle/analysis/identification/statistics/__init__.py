"""Which loads explain a slowdown on a resource, and the seconds that they cost."""
