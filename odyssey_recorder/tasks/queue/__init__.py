"""The task queue: status, claims and history of all tasks, in a file or a shared database."""
