"""Charts as PNG, SVG or PDF files. Importing a module here loads matplotlib."""
