"""Reads the tables of words that ship beside this module: what the apps show when the phone is new."""

import tomllib
from importlib.resources import files
from typing import Any


def table(name: str) -> dict[str, Any]:
    """All of `name`.toml."""
    return tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text("utf-8"))
