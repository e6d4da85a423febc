"""The Review page: episodes are judged here, and their figures shown."""
