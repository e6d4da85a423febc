"""What the package in front says: whether it is the launcher, a part of Android, or one of the apps of a task."""

import re

from odyssey_recorder.task.templates.template_files import shipped_catalogues

_LAUNCHERS = ("launcher", "trebuchet")
_PARTS_OF_ANDROID = (
    "android",
    "com.android.systemui",
    "com.android.intentresolver",
    "com.android.permissioncontroller",
    "com.google.android.permissioncontroller",
    "com.android.packageinstaller",
    "com.google.android.packageinstaller",
    "com.android.documentsui",
    "com.google.android.documentsui",
    "com.google.android.gms",
)
_NO_NAMES = frozenset(("com", "org", "net", "android", "google", "apps", "app", "mobile"))
"""Parts of packages that name no app."""


def is_launcher(package: str) -> bool:
    """Whether it is a home screen, as all launchers of the dataset's devices are called."""
    return any(name in package for name in _LAUNCHERS)


def is_of_android(package: str) -> bool:
    """Whether it belongs to no app: the launcher, the keyboard, choosers and questions of the system, and nothing."""
    return not package or package in _PARTS_OF_ANDROID or is_launcher(package) or ".inputmethod" in package


def is_known(package: str) -> bool:
    """Whether a catalogue says which app it is."""
    return any(package in catalogue.by_package for catalogue in shipped_catalogues().values())


def is_app(package: str, app: str) -> bool:
    """Whether a package is the app of this name: by a catalogue, or by the package's own name."""
    catalogues = shipped_catalogues().values()
    found = (catalogue.by_package.get(package) for catalogue in catalogues)
    return any(one is not None and _letters(one.name) == _letters(app) for one in found) or _is_named(package, app)


def _is_named(package: str, app: str) -> bool:
    """Whether a package's name tells that it is the app: ``com.google.android.apps.docs`` that it is Google Docs."""
    name = _letters(app)
    parts = [_letters(part) for part in package.split(".")]
    words = {_letters(word) for word in re.findall(r"\w+", app)} - _NO_NAMES
    own = [part for part in parts if part not in _NO_NAMES]
    return any(_alike(part, name) or part in words for part in own)


def _alike(part: str, name: str) -> bool:
    """The same but for a plural: the released data have the app Setting."""
    return bool(part) and part.removesuffix("s") == name.removesuffix("s")


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
