"""One module per kind of model."""
