"""The Tasks page: the task queue for annotators, and the preparation of tasks for leads."""
