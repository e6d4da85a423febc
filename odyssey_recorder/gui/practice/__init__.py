"""First use and practice: consent, the practice tasks, and the gate before the queue."""
