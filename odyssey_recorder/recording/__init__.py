"""How an annotator's inputs become durable steps whose screenshot precedes the action."""
