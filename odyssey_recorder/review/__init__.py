"""Reviews: what people say of an episode, the rules for its status, and the files."""
