"""`jostle topology demo`: a job slowed by one on its link, and not by one with more traffic."""
