"""Where an episode's task comes from: the list of tasks, and who has which of them."""
