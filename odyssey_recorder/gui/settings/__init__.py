"""The Settings page: every setting, the key, the shortcuts and the log."""
