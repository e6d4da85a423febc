"""Where the data folders (templates, prompts, tasks, practice, profiles) lie, in a checkout as in a wheel."""

from pathlib import Path
from typing import Literal

_PACKAGE = Path(__file__).resolve().parent


def data_folder(name: Literal["templates", "prompts", "tasks", "practice", "device_profiles"]) -> Path:
    """The folder of that name: inside the package in a wheel, beside the package in a checkout."""
    packaged = _PACKAGE / "_data" / name
    return packaged if packaged.is_dir() else _PACKAGE.parent / name
