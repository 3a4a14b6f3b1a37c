"""`jostle topology demo`: a job that is slowed by one on its link, and not by a louder one."""
