"""The annotator's window: the only room that knows Qt."""
