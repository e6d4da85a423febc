"""Builds the services: from the settings in `user`, for private emulators in `demo`. Others do not read settings."""
