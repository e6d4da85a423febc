"""Where tasks come from: how they are made from templates, put into words, and queued for whoever records them."""
