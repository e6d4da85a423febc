"""What the team has, chosen in the window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QTableView
from pytestqt.qtbot import QtBot

from odyssey_recorder.gui.tasks.commands import TasksCommand
from odyssey_recorder.gui.tasks.generate_dialog import GenerateDialog
from odyssey_recorder.gui.tasks.team_dialog import TeamDialog
from odyssey_recorder.gui.tasks.template_table import LEFT, ROLES
from odyssey_recorder.tasks.templates.team import Team, load_team
from odyssey_recorder.tasks.templates.template_files import shipped_catalogues
from tests.gui.item_views import column_texts
from tests.gui.tasks.lead_driver import LeadDriver


@pytest.fixture
def dialog(lead: LeadDriver) -> TeamDialog:
    lead.open_view(TasksCommand.SHOW_TEMPLATES)
    lead.use(TasksCommand.SHOW_TEAM)
    return lead.dialog_of(TeamDialog)


def untick(lead: LeadDriver, name: str) -> None:
    shown = lead.named(QListWidget, "What the team has")
    (item,) = shown.findItems(name, Qt.MatchFlag.MatchStartsWith)
    assert not item.isHidden()
    item.setCheckState(Qt.CheckState.Unchecked)


def test_templates_of_missing_apps_are_left_out(lead: LeadDriver, dialog: TeamDialog) -> None:
    lead.line("Search apps, countries and accounts").setText("clo")
    untick(lead, "Clock")
    lead.press_in(dialog, "Save")
    templates = lead.named(QTableView, "Templates")
    lead.wait_for(lambda: "Left out" in column_texts(templates, LEFT))
    lacking = [roles for roles, left in zip(column_texts(templates, ROLES), column_texts(templates, LEFT), strict=True)
               if left == "Left out"]  # fmt: skip
    assert lacking
    assert all("clock" in roles for roles in lacking)
    assert load_team(lead.setup.folder / "team.yaml").without.apps == ("Clock",)
    lead.use(TasksCommand.GENERATE_TASKS)
    lead.dialog_of(GenerateDialog)
    assert lead.says("left out, because the team has no app for clock")


def test_app_is_added_with_the_roles_of_another(lead: LeadDriver, dialog: TeamDialog) -> None:
    lead.line("Name").setText("Wecker")
    lead.press_in(dialog, "Add")
    assert lead.says("Enter a name, and a package such as org.example.app.")
    lead.line("Package").setText("de.example.wecker")
    lead.choice("Does the same as").setCurrentText("Clock")
    lead.press_in(dialog, "Add")
    untick(lead, "Clock")
    lead.press_in(dialog, "Save")
    lead.wait_for(lambda: bool(load_team(lead.setup.folder / "team.yaml").apps))
    library = lead.service.library()
    assert not library.left_out
    assert [app.name for app in library.catalogues["simulated_phone"].that_play("clock")] == ["Wecker"]


def test_app_that_is_there_already_is_refused(lead: LeadDriver, dialog: TeamDialog) -> None:
    lead.line("Name").setText("Clock")
    lead.line("Package").setText("de.example.wecker")
    lead.press_in(dialog, "Add")
    lead.press_in(dialog, "Save")
    lead.wait_for_text("there already is an app Clock, or one with its package")
    assert not (lead.setup.folder / "team.yaml").exists()


def test_what_the_dialog_does_not_show_stays_in_the_file(qtbot: QtBot) -> None:
    team = Team(classes={"Chirp": "X"})
    dialog = TeamDialog(team, shipped_catalogues()["android"])
    qtbot.addWidget(dialog)
    assert dialog.team == team
