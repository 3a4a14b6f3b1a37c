"""Names of what ran: programs, users, batch jobs, and what started them."""
