"""Documents to mail: texts, tables and figures as one HTML file, or as a PDF."""
