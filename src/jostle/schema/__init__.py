"""The lists of `schema/` as data: metrics, what a profile looks like, settings. Generated."""
