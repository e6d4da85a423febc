"""Which tasks are made from templates next, and how far all of them reach."""
