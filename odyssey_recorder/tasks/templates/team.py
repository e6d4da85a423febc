"""The file `team.yaml`: which apps, countries and accounts a team lacks, and which apps it adds."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import yaml
from pydantic import Field

from odyssey_recorder.errors import OdysseyError, TaskError
from odyssey_recorder.files import make_folder, write_durably
from odyssey_recorder.tasks.fields import Problem, Words, refuse
from odyssey_recorder.tasks.templates.marked_yaml import Place
from odyssey_recorder.tasks.templates.source import Written, read_file
from odyssey_recorder.tasks.templates.template import OTHER, Catalogue, CatalogueApp
from odyssey_recorder.tasks.templates.template_schema import AppEntry
from odyssey_recorder.validation import ClosedModel

_HEAD = "# What the team has for its tasks; the Tasks page of Odyssey Recorder changes this file. See docs/tasks.md.\n"


class Lacking(ClosedModel):
    apps: tuple[Words, ...] = ()
    countries: tuple[Words, ...] = ()
    accounts: tuple[Words, ...] = ()

    def why(self, app: CatalogueApp) -> str:
        """Why the team does not have an app; empty if it does."""
        if app.name in self.apps:
            return "the team does not have it"
        if app.countries and set(app.countries) <= set(self.countries):
            return f"only in {', '.join(app.countries)}"
        return f"needs an account: {app.account}" if app.account and app.account in self.accounts else ""


class Team(ClosedModel):
    """Both for the apps of one catalogue; `apps` are in addition to it.

    `classes` are for apps in episodes that no catalogue has: the class of each, or the catalogue's name of the app.
    """

    catalogue: str = "android"
    without: Lacking = Lacking()
    apps: tuple[AppEntry, ...] = ()
    classes: dict[Words, Words] = Field(default_factory=dict)


def read_team(file: Path | None) -> tuple[Written | None, Team, list[Problem]]:
    """A team without a file lacks nothing."""
    if file is None or not file.exists():
        return None, Team(), []
    found = read_file(file, Team)
    return (None, Team(), found) if isinstance(found, list) else (*found, [])


def load_team(file: Path | None) -> Team:
    """Raises TaskError with file, line and key of each problem."""
    _, team, problems = read_team(file)
    refuse(problems)
    return team


def write_team(file: Path, team: Team) -> None:
    """Raises TaskError."""
    content = team.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    text = _HEAD + yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)
    try:
        make_folder(file.parent)
        write_durably(file, text.encode())
    except OdysseyError as error:
        raise TaskError(f"Couldn't save the apps of the team: {error}") from error


def with_team(catalogue: Catalogue, team: Team) -> Catalogue:
    roles = {app.name: app.roles for app in catalogue.apps}
    added = map(catalogue_app, team.apps)
    apps = (*catalogue.apps, *(replace(app, roles=app.roles | roles.get(app.like, frozenset())) for app in added))
    lacks = {app.name: why for app in apps if (why := team.without.why(app))}
    return replace(catalogue, apps=apps, lacks=lacks)


def catalogue_app(entry: AppEntry) -> CatalogueApp:
    return CatalogueApp(
        entry.name, entry.package, entry.app_class, frozenset(entry.roles), entry.countries, entry.account, entry.like,
        entry.aliases,
    )  # fmt: skip


def team_faults(team: Team, catalogue: Catalogue | None) -> Iterator[tuple[Place, str]]:
    """What a team says of apps that its `catalogue` does not have, and of those that it has already."""
    if catalogue is None:
        yield ("catalogue",), f'there is no catalogue "{team.catalogue}"'
        return
    names = {*catalogue.by_name, *catalogue.by_package}
    for number, entry in enumerate(team.apps):
        if names & {entry.name, entry.package}:
            yield ("apps", number), f"there already is an app {entry.name}, or one with its package"
        names |= {entry.name, entry.package}
        if entry.like and entry.like not in catalogue.by_name:
            yield ("apps", number, "like"), f'no app of {catalogue.name} has "{entry.like}"'
        if entry.app_class not in (*catalogue.classes, OTHER):
            yield ("apps", number, "class"), f'"{entry.app_class}" is not one of the classes'
    apps = with_team(catalogue, team).apps
    known = {
        "apps": {app.name for app in apps},
        "countries": {country for app in apps for country in app.countries},
        "accounts": {app.account for app in apps},
    }
    for key, names in known.items():
        for number, name in enumerate(getattr(team.without, key)):
            if name not in names:
                yield ("without", key, number), f'no app of {catalogue.name} has "{name}"'
