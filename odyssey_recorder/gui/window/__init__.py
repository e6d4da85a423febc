"""The main window, its pages, and running the application."""
