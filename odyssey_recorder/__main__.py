"""Lets `python -m odyssey_recorder` stand for the console script."""

from odyssey_recorder.cli import main

if __name__ == "__main__":
    main()
