"""The Tasks page: the list to choose from, and the queue as the window holds it."""
