"""The view toolkit of the simulated phone: trees of views that are laid out, drawn, touched and dumped."""
