"""`jostle topology demo`: a job slows another one on a shared link; a job elsewhere does not."""
