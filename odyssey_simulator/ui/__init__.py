"""The simulator's view toolkit: trees of views that are laid out, drawn, touched and dumped."""
