"""HTTP: connections, middleware, the front-end files and the server log."""
