"""Tasks: made from templates, rewritten by a language model, and queued for recording."""
