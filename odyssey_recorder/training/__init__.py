"""OdysseyAgent: training from an export, and serving what was trained. Needs the extra `[train]`."""
