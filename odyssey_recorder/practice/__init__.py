"""Practice: what an annotator must know and agree to before the queue of tasks opens."""
