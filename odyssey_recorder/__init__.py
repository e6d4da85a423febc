"""Odyssey Recorder: records, publishes and replays GUI-Odyssey episodes on Android emulators."""

__version__ = "0.1.0"
