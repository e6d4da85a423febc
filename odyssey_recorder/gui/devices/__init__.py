"""The Devices page: what there is, what runs, and what can be done with it."""
