"""The Annotate page."""
