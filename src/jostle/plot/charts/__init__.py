"""What a chart shows, apart from how it is drawn: shared by the terminal and the figures."""
