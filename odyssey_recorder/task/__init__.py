"""Where tasks come from: how they are made from templates, rewritten, and queued to be recorded."""
