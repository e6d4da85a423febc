"""What the program costs in time, measured against the least that the task can cost."""
