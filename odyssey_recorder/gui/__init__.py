"""The annotator's window: the only package that imports Qt."""
