"""Loads the TOML files in this folder: the initial content of the apps."""

import tomllib
from copy import deepcopy
from functools import cache
from importlib.resources import files
from typing import Any


def table(name: str) -> dict[str, Any]:
    """A copy, which the caller may change."""
    return deepcopy(_parsed(name))


@cache
def _parsed(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text("utf-8"))
