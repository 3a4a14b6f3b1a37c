"""Views: they show results as text and tables in a terminal, without computing any."""
