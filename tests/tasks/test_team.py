"""What a team has: its file, and the tasks that are made from it."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest

from odyssey_recorder.errors import TaskError
from odyssey_recorder.tasks.generation.generator import GenerationOrder, generate, left
from odyssey_recorder.tasks.templates.team import Lacking, Team, load_team, write_team
from odyssey_recorder.tasks.templates.template import TemplateLibrary
from odyssey_recorder.tasks.templates.template_files import load_library, read_library, shipped_templates
from odyssey_recorder.tasks.templates.template_schema import AppEntry
from tests.tasks.templates import APPS, TEMPLATE, folder_of

VIDEO = (
    TEMPLATE.replace("podcast", "video")
    .replace("Listen to", "Watch")
    .replace("a video on yoga, a course on chess", "a talk on bees, a talk on stars")
)
BOUND = APPS.replace("tube, class: Reading,", "tube, class: Reading, countries: [Peru], account: Tube,")
FILES = {"apps/android.yaml": BOUND, "Media_Entertainment/watch.yaml": VIDEO}


def library_with(folder: Path, team: Team | str, files: Mapping[str, str] = FILES) -> TemplateLibrary:
    file = folder / "dataset" / "metadata" / "team.yaml"
    if isinstance(team, Team):
        write_team(file, team)
        assert load_team(file) == team
    else:
        file.parent.mkdir(parents=True)
        file.write_text(team)
    return load_library([folder_of(folder / "templates", files)], file)


def made_by(library: TemplateLibrary) -> set[tuple[str, ...]]:
    tasks = generate(library, GenerationOrder(100, seed=1, day=date(2026, 11, 1))).tasks
    return {tuple(task.roles.values()) for task in tasks}


@pytest.mark.parametrize(
    ("lacking", "why"),
    [
        (Lacking(apps=("YouTube",)), "the team does not have it"),
        (Lacking(countries=("Peru",)), "only in Peru"),
        (Lacking(accounts=("Tube",)), "needs an account: Tube"),
    ],
    ids=["apps", "countries", "accounts"],
)
def test_tasks_draw_only_from_what_the_team_has(tmp_path: Path, lacking: Lacking, why: str) -> None:
    library = library_with(tmp_path, Team(without=lacking))
    assert library.catalogues["android"].lacks == {"YouTube": why}
    assert made_by(library) == {("Listen", "Notes")}
    batch = generate(library, GenerationOrder(100, seed=1, day=date(2026, 11, 1)))
    assert batch.left_out == "1 template with 6 tasks left out, because the team has no app for video (1)."
    assert left(library, (), date(2026, 11, 1)) == {"listen": 6}
    assert made_by(library_with(tmp_path / "all", Team())) == {
        ("Listen", "Notes"), ("YouTube", "Notes"),
    }  # fmt: skip


def test_team_adds_apps(tmp_path: Path) -> None:
    entry = AppEntry.model_validate(
        {"name": "Hear", "package": "org.example.hear", "class": "Reading", "roles": ["podcast"]}
    )
    library = library_with(tmp_path, Team(without=Lacking(apps=("Listen", "YouTube")), apps=(entry,)))
    assert made_by(library) == {("Hear", "Notes")}


def test_added_app_is_used_where_a_template_names_the_one_that_it_is_like(tmp_path: Path) -> None:
    named = {**FILES, "Media_Entertainment/watch.yaml": VIDEO.replace("any", "[YouTube]")}
    assert named != FILES
    entry = AppEntry.model_validate(
        {"name": "Hear", "package": "org.example.hear", "class": "Reading", "like": "YouTube"}
    )
    library = library_with(tmp_path, Team(without=Lacking(apps=("YouTube",)), apps=(entry,)), named)
    assert made_by(library) == {("Listen", "Notes"), ("Hear", "Notes")}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("without:\n  apps: [Notes, Lisen]\n", 'team.yaml:2: without.apps.1: no app of android has "Lisen"'),
        ("without: {countries: [Mars]}\n", 'team.yaml:1: without.countries.0: no app of android has "Mars"'),
        ("catalogue: ios\n", 'team.yaml:1: catalogue: there is no catalogue "ios"'),
        ("with: {apps: [Notes]}\n", "team.yaml:1: with: there is no such key"),
        (
            "apps:\n  - {name: Notes, package: org.example.n, class: Games}\n",
            "team.yaml:2: apps.0: there already is an app Notes, or one with its package; "
            '.*team.yaml:2: apps.0.class: "Games" is not one of the classes',
        ),
    ],
)
def test_problem_of_the_file_is_named_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(TaskError, match=problem):
        library_with(tmp_path, text)


def test_file_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "metadata").write_text("")
    with pytest.raises(TaskError, match="Couldn't save the apps of the team"):
        write_team(tmp_path / "metadata" / "team.yaml", Team())


def test_shipped_templates_survive_without_the_apps_of_one_country(tmp_path: Path) -> None:
    write_team(tmp_path / "team.yaml", Team(without=Lacking(countries=("United States",))))
    library = read_library([shipped_templates()], tmp_path / "team.yaml").library
    assert "Walmart" in library.catalogues["android"].lacks
    assert "DoorDash" not in library.catalogues["android"].lacks
    assert len(library.of("android")) > 0.9 * sum(one.catalogue == "android" for one in library.templates)
