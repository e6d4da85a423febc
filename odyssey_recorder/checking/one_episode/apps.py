"""Checks of the episode's course, for criterion (ii): which apps were in front, how many, and why it ended."""

import re
from collections import Counter
from functools import cache

from odyssey_recorder.checking.evidence import EpisodeEvidence
from odyssey_recorder.checking.finding_text import listed, named, sentence
from odyssey_recorder.checking.one_episode.check import CheckResults, Found, Unchecked, no_screen
from odyssey_recorder.checking.thresholds import FOREIGN_STEPS
from odyssey_recorder.model.action import Impossible
from odyssey_recorder.model.episode import Category
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.tasks.templates.template_files import shipped_catalogues


def check_used_apps(evidence: EpisodeEvidence) -> CheckResults:
    """An app of the task was never in front, or an app that is not the task's was in front at more than
    `FOREIGN_STEPS` steps, by the packages in the provenance. Packages get their names from the catalogues or from
    themselves. A package that is in no catalogue may be an app of the task; then neither is checked. Parts of Android,
    such as the launcher, do not count."""
    screens = [step.record.screen for step in evidence.steps if step.record and step.record.screen]
    seen = Counter(screen.package for screen in screens if not is_of_android(screen.package))
    if not screens:
        yield Unchecked(None, no_screen(evidence))
        return
    apps = dict.fromkeys(evidence.episode.task.apps)
    missing = [app for app in apps if not any(is_app(package, app) for package in seen)]
    foreign = {package: count for package, count in seen.items() if not any(is_app(package, app) for app in apps)}
    unknown = [package for package in foreign if not is_known(package)]
    if missing and unknown:
        yield Unchecked(None, f"no catalogue shows whether {listed(unknown)} is {listed(missing)}")
        return
    if missing:
        todo = "Check whether the task was done in it. If another app was used instead, correct the task's apps."
        yield Found(None, f"Never opened: {listed(missing)}.", todo)
    for package, count in foreign.items():
        if count > FOREIGN_STEPS:
            found = f"{named(package)}, which is not one of the task's apps, was in front at {counted(count, 'step')}."
            yield Found(None, found, "Add it to the task's apps if the task needs it; otherwise drop those steps.")


def check_app_count(evidence: EpisodeEvidence) -> CheckResults:
    """Fewer apps than the category needs: three in Multi_Apps, one in General_Tool, two in the others. An unknown
    category is not checked."""
    task = evidence.episode.task
    try:
        category = Category(task.category)
    except ValueError:
        yield Unchecked(None, sentence(f"the category {named(task.category)} is not one of the 6").rstrip("."))
        return
    if lack := category.lacks_apps(task.apps):
        todo = "Correct the task's apps or its category. If too few apps were used, reject the episode."
        yield Found(None, f"{lack}.", todo)


def check_reason(evidence: EpisodeEvidence) -> CheckResults:
    """IMPOSSIBLE (INCOMPLETE in released files) without a reason in `ps`."""
    for step in evidence.steps:
        match step.spelled.action:
            case Impossible(reason) if not reason.strip():
                todo = "Enter why the task could not be done, such as: item not found."
                yield Found(step.number, "IMPOSSIBLE has no reason.", todo)
            case _:
                pass


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


def is_launcher(package: str) -> bool:
    return any(name in package for name in _LAUNCHERS)


def is_of_android(package: str) -> bool:
    """Whether the package belongs to no app: launcher, keyboard, choosers and dialogs of the system, or empty."""
    return not package or package in _PARTS_OF_ANDROID or is_launcher(package) or ".inputmethod" in package


def is_known(package: str) -> bool:
    return any(package in catalogue.by_package for catalogue in shipped_catalogues().values())


@cache
def package_of(app: str) -> str:
    """Of the app that a catalogue has by this name or alias, android.yaml first; otherwise the name itself."""
    names = {letters(app), letters(f"{app}s")}
    for _, catalogue in sorted(shipped_catalogues().items()):
        for known in catalogue.apps:
            if not names.isdisjoint(map(letters, (known.name, *known.aliases))):
                return known.package
    return app


def is_app(package: str, app: str) -> bool:
    catalogues = shipped_catalogues().values()
    found = (catalogue.by_package.get(package) for catalogue in catalogues)
    names = {letters(name) for known in found if known is not None for name in (known.name, *known.aliases)}
    return letters(app) in names or _is_named(package, app)


def packages_of(app: str) -> list[str]:
    """Those that the catalogues know for an app of this name, without parts of Android."""
    known = (known for catalogue in shipped_catalogues().values() for known in catalogue.apps)
    return [one.package for one in known if letters(one.name) == letters(app) and not is_of_android(one.package)]


def _is_named(package: str, app: str) -> bool:
    """Whether the package's name contains the app's: ``com.google.android.apps.docs`` for Google Docs."""
    name = letters(app)
    parts = [letters(part) for part in package.split(".")]
    words = {letters(word) for word in re.findall(r"\w+", app)} - _NO_NAMES
    own = [part for part in parts if part not in _NO_NAMES]
    return any(_alike(part, name) or part in words for part in own)


def _alike(part: str, name: str) -> bool:
    """Equal but for a plural: the released data have the app Setting."""
    return bool(part) and part.removesuffix("s") == name.removesuffix("s")


def letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
