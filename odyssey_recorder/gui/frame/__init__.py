"""What every page is made with: commands and keys, panels, background work, dialogs."""
