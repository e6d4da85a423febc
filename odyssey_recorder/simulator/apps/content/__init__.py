"""Loads the TOML files in this folder: the initial content of the apps."""

import tomllib
from importlib.resources import files
from typing import Any


def table(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text("utf-8"))
