"""An agent records in the window: a real recorder, a device in memory, and a stand-in for the model's server."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from odyssey_recorder.dataset.provenance import EpisodeProvenance
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.gui.bridges.recording import Phase
from odyssey_recorder.gui.bridges.workplace import AgentModels, Workplace
from odyssey_recorder.gui.frame.application import TextSize, use_text_size
from odyssey_recorder.gui.frame.window_state import KeptFile
from odyssey_recorder.gui.kit.parts import Choice
from odyssey_recorder.gui.record.agent_card import AgentCard
from odyssey_recorder.gui.record.agent_dialog import RunAgentDialog
from odyssey_recorder.gui.record.agent_runner import AgentRunner
from odyssey_recorder.gui.window.main_window import SMALLEST
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.recording.state import State
from odyssey_recorder.settings import read_settings
from odyssey_recorder.tasks.queue.task_status import Status
from odyssey_recorder.wiring.user import open_batch
from tests.agents.controlled_model import ControlledModel, batch_of
from tests.fakes import FakeDevice
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fakes import TASK, FakeRecordings
from tests.gui.inspection import faults
from tests.gui.pilot import LEFT, OpenAt, OpenWindow, Pilot
from tests.gui.record.screens import child_of, choose_step
from tests.llm.stand_in import MODEL, StandIn
from tests.tasks.tasks import queue_of, row

pytestmark = pytest.mark.usefixtures("clean_home")


@pytest.fixture
def device() -> FakeDevice:
    return FakeDevice(serial="emulator-5554")


@pytest.fixture
def thinker() -> ControlledModel:
    return ControlledModel()


@pytest.fixture
def server(thinker: ControlledModel) -> Iterator[StandIn]:
    with StandIn(thinker) as started:
        batch_of(started)  # loads modules now, not while a test waits
        yield started


@pytest.fixture
def pilot(open_at: OpenAt, server: StandIn) -> Pilot:
    return open_at(Workplace(agents=models_of(server))).watching()


def models_of(server: StandIn) -> AgentModels:
    return AgentModels(lambda: MODEL, lambda _, __: batch_of(server))


def open_agent_dialog(pilot: Pilot) -> None:
    pilot.wait_until_enabled("Run agent")
    pilot.press("Run agent")


def request_agent(pilot: Pilot, adapter: str = "ours") -> None:
    open_agent_dialog(pilot)
    dialog = pilot.dialog()
    assert pilot.line("Model").text() == MODEL
    adapters = pilot.choice("Adapter")
    adapters.setCurrentIndex(adapters.findData(adapter))
    pilot.press_in(dialog, "Run agent")


def wait_for_question(pilot: Pilot, thinker: ControlledModel) -> str:
    pilot.qtbot.waitUntil(thinker.was_asked)
    return thinker.await_question()


def run_agent(pilot: Pilot, thinker: ControlledModel) -> str:
    """Returns what the model is asked first."""
    pilot.write_task()
    request_agent(pilot)
    pilot.wait_for_phase(Phase.RECORDING)
    return wait_for_question(pilot, thinker)


def provenance(service: FakeRecordings) -> EpisodeProvenance:
    found = service.store.provenance(service.episode.episode_id)
    assert found is not None
    return found


def press_on_card(pilot: Pilot, text: str) -> None:
    pilot.qtbot.waitUntil(lambda: any(one.isEnabled() for one in card_buttons(pilot, text)))
    QTest.mouseClick(card_buttons(pilot, text)[0], LEFT)


def card_buttons(pilot: Pilot, text: str) -> list[QAbstractButton]:
    card = pilot.find(AgentCard)
    return [one for one in card.findChildren(QAbstractButton) if one.text() == text and one.isVisible()]


def finish_episode(pilot: Pilot, thinker: ControlledModel) -> None:
    thinker.say("COMPLETE", text="Done.")
    pilot.wait_for_text("this ends the episode and publishes it")
    press_on_card(pilot, "Allow")
    pilot.qtbot.waitUntil(lambda: pilot.controller.phase is Phase.FINISHED)


class BlockedDevice(FakeDevice):
    """A touch waits for `may_finish`."""

    def __init__(self) -> None:
        super().__init__(serial="emulator-5554")
        self.touched, self.may_finish = threading.Event(), threading.Event()

    def touch(self, stroke: TouchStroke) -> None:
        self.touched.set()
        assert self.may_finish.wait(30)
        super().touch(stroke)


def test_agent_performs_the_task(
    pilot: Pilot, thinker: ControlledModel, service: FakeRecordings, device: FakeDevice
) -> None:
    assert "Switch the phone to dark mode" in run_agent(pilot, thinker)
    pilot.wait_for_text("Agent at work")
    pilot.qtbot.waitUntil(lambda: pilot.status.state == "Agent")
    assert pilot.status.message == "Looking at the screen, asking the model…"
    thinker.say("CLICK", x=500, y=500)
    wait_for_question(pilot, thinker)
    pilot.qtbot.waitUntil(lambda: pilot.rows_of("Steps") == ["Step 1, agent: Click “OK”"])
    finish_episode(pilot, thinker)
    saved = provenance(service)
    assert (saved.origin.actor, len(device.performed)) == ("agent", 1)
    approvals = [step.agent and (step.agent.model, step.agent.approved) for step in saved.steps]
    assert approvals == [(MODEL, False), (MODEL, True)]
    assert not pilot.find(AgentCard).isVisible()


def test_refusing_a_risky_action_ends_the_turn(pilot: Pilot, thinker: ControlledModel, device: FakeDevice) -> None:
    device.tree = device.tree.replace("OK", "Delete all")
    run_agent(pilot, thinker)
    for answer in ("Refuse", "Allow"):
        thinker.say("CLICK", x=500, y=500)
        pilot.wait_for_text("Click “Delete all”. The agent must ask first: 'delete' is under the finger")
        assert device.performed == []
        press_on_card(pilot, answer)
        if answer == "Refuse":
            pilot.wait_for_text("You didn't allow the last action. Do the right one, which is saved with it")
            press_on_card(pilot, "Resume agent")
    pilot.qtbot.waitUntil(lambda: len(device.performed) == 1)


def test_screens_are_sent_to_a_remote_model_only_with_consent(open_at: OpenAt, service: FakeRecordings) -> None:
    remote = read_settings(model=MODEL, model_url="https://models.invalid/v1")
    pilot = open_at(Workplace(agents=AgentModels(lambda: MODEL, lambda _, __: open_batch(remote)))).watching()
    pilot.write_task()
    request_agent(pilot)
    pilot.wait_for_text("Send screenshots to https://models.invalid")
    pilot.press_in(pilot.dialog(), "Cancel")
    assert (pilot.controller.phase, service.drafts()) == (Phase.WATCHING, [])
    request_agent(pilot)
    pilot.wait_for_text("Send screenshots to")
    pilot.press_in(pilot.dialog(), "Agree and run")
    pilot.wait_for_phase(Phase.RECORDING)
    assert pilot.controller.is_agents


def test_agent_resumes_only_its_own_recording(pilot: Pilot, thinker: ControlledModel, service: FakeRecordings) -> None:
    pilot.start()
    assert not pilot.shortcut("Ctrl+Shift+A").isEnabled()
    pilot.stop()
    request_agent(pilot)
    pilot.wait_for_phase(Phase.RECORDING)
    wait_for_question(pilot, thinker)
    pilot.press("Stop")
    thinker.say("BACK")  # for the abandoned question
    pilot.wait_for_phase(Phase.WATCHING)
    pilot.qtbot.waitUntil(lambda: [one.problem for one in service.drafts()] == ["", ""])
    pilot.controller.resume(service.drafts()[0])
    pilot.wait_for_phase(Phase.RECORDING)
    pilot.wait_for_text("An agent started this recording.")
    request_agent(pilot)
    wait_for_question(pilot, thinker)
    finish_episode(pilot, thinker)
    assert provenance(service).origin.actor == "agent"


def test_agent_needs_an_emulator(open_window: OpenWindow, server: StandIn, tmp_path: Path) -> None:
    pilot = open_window(FakeRecordings(tmp_path, FakeDevice()), Workplace(agents=models_of(server))).watching()
    pilot.write_task()
    request_agent(pilot)
    pilot.wait_for_text("fake-1 is not an emulator")
    assert pilot.controller.phase is Phase.WATCHING


@pytest.mark.usefixtures("program_style")
@pytest.mark.parametrize("size", [pytest.param("normal", marks=pytest.mark.soak), "extra large"])
def test_card_fits_smallest_window(pilot: Pilot, thinker: ControlledModel, device: FakeDevice, size: TextSize) -> None:
    use_text_size(size)
    pilot.window.resize(SMALLEST)
    button = device.tree[device.tree.index("<node") : device.tree.index("</hierarchy>")]
    above = button.replace("270", "100").replace("330", "160")
    device.tree = device.tree.replace(button, above + button.replace("OK", "Delete all that was written here"))
    run_agent(pilot, thinker)
    pilot.wait_for_text("Agent at work")
    pilot.qtbot.waitUntil(lambda: faults(pilot.window) == [])
    for y in (200, 500):
        thinker.say("CLICK", x=500, y=y)
    pilot.wait_for_text("Allow this action?")
    pilot.qtbot.waitUntil(lambda: faults(pilot.window) == [])
    pilot.shortcut("Esc").trigger()
    pilot.wait_for_text("Agent paused")
    pilot.qtbot.waitUntil(lambda: bool(card_buttons(pilot, "Correct step 1")))
    pilot.qtbot.waitUntil(lambda: faults(pilot.window) == [])
    assert pilot.window.size() == SMALLEST


def test_agent_recording_keeps_task_claimed(
    open_at: OpenAt, server: StandIn, thinker: ControlledModel, tmp_path: Path
) -> None:
    queue = queue_of(tmp_path, row("a", instruction=TASK.instruction))
    pilot = open_at(Workplace(agents=models_of(server), tasks=lambda: queue))
    pilot.wait_for_text(TASK.instruction)
    request_agent(pilot)
    wait_for_question(pilot, thinker)
    finish_episode(pilot, thinker)
    pilot.press("Record another")
    pilot.wait_until_enabled("Start recording")
    assert queue.board().count(Status.CLAIMED) == 1


def test_the_agents_own_question_is_answered_in_words(pilot: Pilot, thinker: ControlledModel) -> None:
    pilot.write_task()
    request_agent(pilot, "mai-ui")
    wait_for_question(pilot, thinker)
    thinker.call("ask_user", text="Dark mode for all apps?")
    pilot.wait_for_text("Dark mode for all apps?")
    assert card_buttons(pilot, "Allow") == card_buttons(pilot, "Refuse") == []
    card = pilot.find(AgentCard)
    child_of(card, QLineEdit).setText("Only at night.")
    press_on_card(pilot, "Answer")
    assert "Dark mode for all apps? The answer: Only at night." in wait_for_question(pilot, thinker)
    pilot.qtbot.waitUntil(lambda: not child_of(card, QLineEdit).isVisible())
    thinker.call("terminate", status="success")
    pilot.wait_for_text("this ends the episode and publishes it")


def test_options_are_applied_and_remembered(
    open_at: OpenAt, server: StandIn, thinker: ControlledModel, tmp_path: Path
) -> None:
    budgets: list[float | None] = []

    def open_model(_: str, budget: float | None) -> Batch:
        budgets.append(budget)
        return batch_of(server)

    options = KeptFile(tmp_path / "agent.json")
    pilot = open_at(Workplace(agents=AgentModels(lambda: MODEL, open_model, options))).watching()
    pilot.write_task()
    open_agent_dialog(pilot)
    packages = "com.example.notes, com.example.clock"
    entered = {"History": "screenshots:2", "Budget in US dollars": "2,50", "Allowed packages": packages}
    for name, text in entered.items():
        pilot.line(name).setText(text)
    pilot.press_in(pilot.dialog(), "Run agent")
    wait_for_question(pilot, thinker)
    thinker.say("CLICK", x=500, y=500)
    pilot.wait_for_text("The agent must ask first: the app com.fake.app is not allowed")
    press_on_card(pilot, "Refuse")
    assert budgets == [2.5]
    assert options.read() == {"adapter": "ours", "history": "screenshots:2", "budget": "2,50", "packages": packages}
    next_dialog = RunAgentDialog("another-model", options, pilot.window)
    shown = {one.accessibleName(): one.text() for one in next_dialog.findChildren(QLineEdit)}
    assert shown == {"Model": "another-model", **entered}
    options.write({"adapter": "gone", "history": 7, "budget": ["x"], "packages": None})
    with_damaged_options = RunAgentDialog(MODEL, options, pilot.window)
    assert [one.text() for one in with_damaged_options.findChildren(QLineEdit)] == [MODEL, "actions", "", ""]
    assert (child_of(with_damaged_options, Choice).value, with_damaged_options.ok.isEnabled()) == ("ours", True)


@pytest.mark.parametrize(
    ("name", "wrong", "right", "message"),
    [
        ("Model", " ", "m", "Enter the model's name."),
        ("History", "memory:long", "memory", "The history 'memory:long' cannot be told to an agent."),
        ("History", "screenshots:0", "actions:9", "The history 'screenshots:0' cannot be told to an agent."),
        ("Budget in US dollars", "-1", "0", "Enter an amount such as 2.50"),
        ("Budget in US dollars", "nan", "", "Enter an amount such as 2.50"),
        ("Allowed packages", "com.example.notes Clock", "com.example.notes", "“Clock” is not a package."),
    ],
)
def test_invalid_option_blocks_the_run(qtbot: QtBot, name: str, wrong: str, right: str, message: str) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    dialog = RunAgentDialog(MODEL, KeptFile(), window)
    dialog.open()
    field = next(one for one in dialog.findChildren(QLineEdit) if one.accessibleName() == name)
    field.setText(wrong)
    assert field.accessibleDescription().startswith(message)
    (label,) = [one for one in dialog.findChildren(QLabel) if one.text() == field.accessibleDescription()]
    assert (label.isVisible(), dialog.ok.isEnabled()) == (True, False)
    qtbot.waitUntil(lambda: faults(dialog) == [])
    field.setText(right)
    assert (field.accessibleDescription(), label.isVisible(), dialog.ok.isEnabled()) == ("", False, True)


def test_budget_needs_a_model_with_a_price(open_at: OpenAt, server: StandIn) -> None:
    def open_model(name: str, budget: float | None) -> Batch:
        return open_batch(read_settings(model=name, model_url=server.url), budget)

    pilot = open_at(Workplace(agents=AgentModels(lambda: MODEL, open_model))).watching()
    pilot.write_task()
    open_agent_dialog(pilot)
    pilot.line("Budget in US dollars").setText("5")
    pilot.press_in(pilot.dialog(), "Run agent")
    pilot.wait_for_text("The price of 'stand-in-1' is unknown, so a budget cannot be kept.")
    assert pilot.controller.phase is Phase.WATCHING


def test_takeover_keeps_agent_step(
    open_window: OpenWindow, server: StandIn, thinker: ControlledModel, tmp_path: Path
) -> None:
    device = BlockedDevice()
    service = FakeRecordings(tmp_path, device)
    pilot = open_window(service, Workplace(agents=models_of(server))).watching()
    run_agent(pilot, thinker)
    thinker.say("CLICK", x=500, y=500)
    pilot.qtbot.waitUntil(device.touched.is_set)
    pilot.wait_for_state(State.INJECTING)
    pilot.click(180, 300)
    pilot.wait_for_text("Agent paused")
    assert pilot.status.hint.startswith("Not recorded")
    device.may_finish.set()
    pilot.wait_for_steps(1)
    pilot.click(90, 500)
    pilot.wait_for_steps(2)
    pilot.complete()
    assert [step.agent is not None for step in provenance(service).steps] == [True, False, False]
    assert len(device.performed) == 2


def test_agent_can_be_interrupted_by_shortcut_and_resumed(pilot: Pilot, thinker: ControlledModel) -> None:
    run_agent(pilot, thinker)
    for keys in ("Esc", "Ctrl+P", "Ctrl+Return"):
        pilot.qtbot.waitUntil(lambda: pilot.mirror.takes_input)
        pilot.activate()
        QTest.keySequence(pilot.window, QKeySequence(keys))
        pilot.wait_for_text("Agent paused")
        thinker.say("HOME")  # for the abandoned question
        press_on_card(pilot, "Resume agent")
        wait_for_question(pilot, thinker)
        pilot.qtbot.waitUntil(lambda: pilot.status.state == "Agent")
    thinker.say("HOME")


def test_agent_does_not_join_a_recording_started_meanwhile(open_at: OpenAt, server: StandIn) -> None:
    may_open = threading.Event()

    def open_late(_: str, __: float | None) -> Batch:
        assert may_open.wait(30)
        return batch_of(server)

    pilot = open_at(Workplace(agents=AgentModels(lambda: MODEL, open_late))).watching()
    pilot.write_task()
    request_agent(pilot)
    pilot.wait_for_text("Opening the model…")
    pilot.press("Start recording")
    pilot.wait_for_phase(Phase.RECORDING)
    runner = child_of(pilot.controller, AgentRunner)
    with pilot.qtbot.waitSignal(runner.prepared, timeout=PATIENCE_MS):
        may_open.set()
    assert (runner.has_run, pilot.controller.is_agents) == (False, False)


def test_touch_during_a_question_closes_it_and_takes_over(
    pilot: Pilot, thinker: ControlledModel, service: FakeRecordings, device: FakeDevice
) -> None:
    device.tree = device.tree.replace("OK", "Delete all")
    run_agent(pilot, thinker)
    thinker.say("CLICK", x=500, y=500)
    pilot.wait_for_text("Allow this action?")
    pilot.qtbot.waitUntil(lambda: pilot.mirror.takes_input)
    pilot.click(180, 300)
    pilot.wait_for_steps(1)
    pilot.wait_for_text("You have taken over.")
    pilot.qtbot.waitUntil(lambda: card_buttons(pilot, "Allow") == [])
    press_on_card(pilot, "Resume agent")
    assert "CLICK" in wait_for_question(pilot, thinker)
    finish_episode(pilot, thinker)
    assert [step.agent is not None for step in provenance(service).steps] == [False, True]
    assert len(device.performed) == 1


def test_step_is_corrected_before_the_agent_resumes(pilot: Pilot, thinker: ControlledModel, device: FakeDevice) -> None:
    run_agent(pilot, thinker)
    for x in (300, 500):
        thinker.say("CLICK", x=x, y=500)
    for _ in range(2):
        wait_for_question(pilot, thinker)
    pilot.shortcut("Esc").trigger()
    thinker.say("HOME")  # for the abandoned question
    pilot.wait_for_steps(2)
    choose_step(pilot, 0)
    press_on_card(pilot, "Correct step 1")
    pilot.wait_for_state(State.RESTORING)
    device.show(0)
    pilot.wait_for_steps(0)
    pilot.wait_for_text("Now do the right action on the device.")
    pilot.click(90, 500)
    pilot.wait_for_steps(1)
    assert pilot.rows_of("Steps")[0].startswith("Step 1, corrected: ")
    press_on_card(pilot, "Resume agent")
    wait_for_question(pilot, thinker)
    finish_episode(pilot, thinker)


def test_closing_during_a_question_keeps_the_steps(
    pilot: Pilot, thinker: ControlledModel, service: FakeRecordings
) -> None:
    run_agent(pilot, thinker)
    thinker.say("CLICK", x=500, y=500)
    thinker.say("COMPLETE")
    pilot.wait_for_text("Allow this action?")
    pilot.window.close()
    assert [(draft.steps, draft.problem) for draft in service.drafts()] == [(1, "")]
