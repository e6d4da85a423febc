"""What people say of an episode, what the rules make of it, and how it is kept."""
