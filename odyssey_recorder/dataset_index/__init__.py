"""Which episodes of a dataset are meant: the filter language, the index that answers it, and saved filters."""
