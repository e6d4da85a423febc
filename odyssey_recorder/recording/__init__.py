"""Turns an annotator's inputs into durable steps, each with a screenshot from before its action."""
