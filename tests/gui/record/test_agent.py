"""An agent in the window: a real recorder on a device in memory, a stand-in for the model's server, and a person."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QListView

from odyssey_recorder.dataset.preferences import preference_pairs
from odyssey_recorder.dataset.provenance import EpisodeProvenance
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.gui.application import TextSize, use_text_size
from odyssey_recorder.gui.main_window import SMALLEST
from odyssey_recorder.gui.record.agent_card import AgentCard
from odyssey_recorder.gui.record.agent_dialog import RunAgentDialog
from odyssey_recorder.gui.record.agent_runner import AgentModels, AgentRunner
from odyssey_recorder.gui.record.recording_controller import Phase
from odyssey_recorder.gui.window_state import KeptFile
from odyssey_recorder.gui.workplace import Workplace
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.model.action import Click, Complete, SystemKey
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.recording.state import State
from odyssey_recorder.settings import read_settings
from odyssey_recorder.task.queue.board import Status
from odyssey_recorder.wiring import open_batch
from tests.agents.thinking import Thinker, batch_of
from tests.fakes import FakeDevice
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fakes import TASK, FakeRecordings
from tests.gui.inspection import faults
from tests.gui.pilot import LEFT, OpenAt, OpenWindow, Pilot
from tests.llm.stand_in import MODEL, StandIn
from tests.task.tasks import queue_of, row

pytestmark = pytest.mark.usefixtures("clean_home")


@pytest.fixture
def device() -> FakeDevice:
    return FakeDevice(serial="emulator-5554")


@pytest.fixture
def thinker() -> Thinker:
    return Thinker()


@pytest.fixture
def server(thinker: Thinker) -> Iterator[StandIn]:
    with StandIn(thinker) as started:
        batch_of(started)  # loads what takes long on a busy computer
        yield started


@pytest.fixture
def pilot(open_at: OpenAt, server: StandIn) -> Pilot:
    return open_at(Workplace(agents=models_of(server))).watching()


def models_of(server: StandIn) -> AgentModels:
    return AgentModels(lambda: MODEL, lambda _, __: batch_of(server))


def ask_for_agent(pilot: Pilot) -> None:
    pilot.wait_until_enabled("Run agent")
    pilot.press("Run agent")


def choose(pilot: Pilot) -> None:
    ask_for_agent(pilot)
    dialog = pilot.dialog()
    assert pilot.line("Model").text() == MODEL
    adapters = pilot.choice("Adapter")
    adapters.setCurrentIndex(adapters.findData("ours"))
    pilot.press_in(dialog, "Run agent")


def run_agent(pilot: Pilot) -> None:
    pilot.write_task()
    choose(pilot)
    pilot.wait_for_phase(Phase.RECORDING)


def await_question(pilot: Pilot, thinker: Thinker) -> str:
    pilot.qtbot.waitUntil(thinker.was_asked)
    return thinker.await_question()


def provenance(service: FakeRecordings) -> EpisodeProvenance:
    found = service.store.provenance(service.episode.episode_id)
    assert found is not None
    return found


def press(pilot: Pilot, words: str) -> None:
    """A button of the agent's card."""
    pilot.qtbot.waitUntil(lambda: any(one.isEnabled() for one in buttons(pilot, words)))
    QTest.mouseClick(buttons(pilot, words)[0], LEFT)


def buttons(pilot: Pilot, words: str) -> list[QAbstractButton]:
    card = pilot.find(AgentCard)
    return [one for one in card.findChildren(QAbstractButton) if one.text() == words and one.isVisible()]


def end(pilot: Pilot, thinker: Thinker) -> None:
    thinker.say("COMPLETE", text="Done.")
    pilot.wait_for_text("this ends the episode and publishes it")
    press(pilot, "Allow")
    pilot.qtbot.waitUntil(lambda: pilot.controller.phase is Phase.FINISHED)


def by_agent(service: FakeRecordings) -> list[bool]:
    return [step.agent is not None for step in provenance(service).steps]


class HeldDevice(FakeDevice):
    """A touch takes as long as the test wants."""

    def __init__(self) -> None:
        super().__init__(serial="emulator-5554")
        self.is_touched, self.may_go = threading.Event(), threading.Event()

    def touch(self, stroke: TouchStroke) -> None:
        self.is_touched.set()
        assert self.may_go.wait(30)
        super().touch(stroke)


# The agent works.


def test_an_agent_carries_out_the_task_that_was_written(
    pilot: Pilot, thinker: Thinker, service: FakeRecordings, device: FakeDevice
) -> None:
    run_agent(pilot)
    assert "Switch the phone to dark mode" in await_question(pilot, thinker)
    pilot.wait_for_text("Agent at work")
    pilot.qtbot.waitUntil(lambda: pilot.status.state == "Agent")
    assert pilot.status.message == "Looking at the screen, asking the model…"
    thinker.say("CLICK", x=500, y=500)
    await_question(pilot, thinker)
    pilot.qtbot.waitUntil(lambda: pilot.rows_of("Steps") == ["Step 1, agent: Click “OK”"])
    end(pilot, thinker)
    kept = provenance(service)
    assert (kept.origin.actor, len(device.performed)) == ("agent", 1)
    told = [step.agent and (step.agent.model, step.agent.approved) for step in kept.steps]
    assert told == [(MODEL, False), (MODEL, True)]
    assert not pilot.find(AgentCard).isVisible()


def test_what_is_risky_is_asked_in_the_window_and_what_is_refused_ends_the_turn(
    pilot: Pilot, thinker: Thinker, device: FakeDevice
) -> None:
    device.tree = device.tree.replace("OK", "Delete all")
    run_agent(pilot)
    for answer in ("Refuse", "Allow"):
        thinker.say("CLICK", x=500, y=500)
        pilot.wait_for_text("Click “Delete all”. The agent must ask: 'delete' is under the finger")
        assert device.performed == []
        press(pilot, answer)
        if answer == "Refuse":
            pilot.wait_for_text("You did not allow its last action.")
            press(pilot, "Resume agent")
    pilot.qtbot.waitUntil(lambda: len(device.performed) == 1)


def test_screens_leave_this_computer_only_with_consent(open_at: OpenAt, service: FakeRecordings) -> None:
    far = read_settings(model=MODEL, model_url="https://models.invalid/v1")
    pilot = open_at(Workplace(agents=AgentModels(lambda: MODEL, lambda _, __: open_batch(far)))).watching()
    pilot.write_task()
    choose(pilot)
    pilot.wait_for_text("Screens of the phone would be sent to https://models.invalid")
    pilot.press_in(pilot.dialog(), "Cancel")
    assert (pilot.controller.phase, service.drafts()) == (Phase.WATCHING, [])
    choose(pilot)
    pilot.wait_for_text("Screens of the phone would be sent to")
    pilot.press_in(pilot.dialog(), "Agree and run")
    pilot.wait_for_phase(Phase.RECORDING)
    assert pilot.controller.is_agents


def test_a_recording_that_a_person_began_has_no_agent_but_one_of_an_agent_goes_on(
    pilot: Pilot, thinker: Thinker, service: FakeRecordings
) -> None:
    pilot.start()
    assert not pilot.shortcut("Ctrl+Shift+A").isEnabled()
    pilot.stop()
    choose(pilot)
    pilot.wait_for_phase(Phase.RECORDING)
    await_question(pilot, thinker)
    pilot.press("Stop")
    thinker.say("BACK")  # for the abandoned question
    pilot.wait_for_phase(Phase.WATCHING)
    pilot.qtbot.waitUntil(lambda: len(service.drafts()) == 2)
    pilot.controller.resume(service.drafts()[0].episode_id)
    pilot.wait_for_phase(Phase.RECORDING)
    pilot.wait_for_text("An agent began this recording.")
    choose(pilot)
    await_question(pilot, thinker)
    end(pilot, thinker)
    assert provenance(service).origin.actor == "agent"


def test_a_device_that_is_no_emulator_has_no_agent(open_window: OpenWindow, server: StandIn, tmp_path: Path) -> None:
    pilot = open_window(FakeRecordings(tmp_path, FakeDevice()), Workplace(agents=models_of(server))).watching()
    pilot.write_task()
    choose(pilot)
    pilot.wait_for_text("fake-1 is not an emulator")
    assert pilot.controller.phase is Phase.WATCHING


@pytest.mark.usefixtures("program_style")
@pytest.mark.parametrize("size", ["normal", "extra large"])
def test_what_is_said_of_an_agent_fits_into_the_smallest_window(
    pilot: Pilot, thinker: Thinker, device: FakeDevice, size: TextSize
) -> None:
    use_text_size(size)
    pilot.window.resize(SMALLEST)
    device.tree = device.tree.replace("OK", "Delete all that was written here")
    run_agent(pilot)
    pilot.wait_for_text("Agent at work")
    pilot.qtbot.waitUntil(lambda: faults(pilot.window) == [])
    thinker.say("CLICK", x=500, y=200)
    await_question(pilot, thinker)
    thinker.say("CLICK", x=500, y=500)
    pilot.wait_for_text("Allow this action?")
    pilot.qtbot.waitUntil(lambda: faults(pilot.window) == [])
    pilot.shortcut("Esc").trigger()
    pilot.wait_for_text("Agent paused")
    pilot.qtbot.waitUntil(lambda: bool(buttons(pilot, "Correct step 1")))
    pilot.qtbot.waitUntil(lambda: faults(pilot.window) == [])
    assert pilot.window.size() == SMALLEST


def test_a_task_that_an_agent_recorded_still_waits_for_a_person(
    open_at: OpenAt, server: StandIn, thinker: Thinker, tmp_path: Path
) -> None:
    queue = queue_of(tmp_path, row("a", instruction=TASK.instruction))
    pilot = open_at(Workplace(agents=models_of(server), tasks=lambda: queue))
    pilot.wait_for_text(TASK.instruction)
    choose(pilot)
    await_question(pilot, thinker)
    end(pilot, thinker)
    pilot.press("Record another")
    pilot.wait_until_enabled("Start recording")
    assert queue.board().count(Status.CLAIMED) == 1


def write(pilot: Pilot, name: str, words: str) -> None:
    field = pilot.line(name)
    field.clear()
    QTest.keyClicks(field, words)


def test_an_agent_has_the_history_and_the_limits_that_are_chosen_and_they_are_kept(
    open_at: OpenAt, server: StandIn, thinker: Thinker, tmp_path: Path
) -> None:
    budgets: list[float | None] = []

    def open_model(_: str, budget: float | None) -> Batch:
        budgets.append(budget)
        return batch_of(server)

    kept = KeptFile(tmp_path / "agent.json")
    pilot = open_at(Workplace(agents=AgentModels(lambda: MODEL, open_model, kept))).watching()
    pilot.write_task()
    ask_for_agent(pilot)
    packages = "com.example.notes, com.example.clock"
    chosen = {"History": "screenshots:2", "Budget in US dollars": "2,50", "Allowed packages": packages}
    for name, words in chosen.items():
        write(pilot, name, words)
    pilot.press_in(pilot.dialog(), "Run agent")
    await_question(pilot, thinker)
    thinker.say("CLICK", x=500, y=500)
    pilot.wait_for_text("The agent must ask: the app com.fake.app is not allowed")
    press(pilot, "Refuse")
    assert budgets == [2.5]
    assert kept.read() == {"adapter": "ours", "history": "screenshots:2", "budget": "2,50", "packages": packages}
    again = RunAgentDialog("another-model", kept, pilot.window)
    shown = {one.accessibleName(): one.text() for one in again.findChildren(QLineEdit)}
    assert shown == {"Model": "another-model", **chosen}


@pytest.mark.parametrize(
    ("name", "wrong", "right", "words"),
    [
        ("Model", " ", "m", "Enter the model's name."),
        ("History", "memory", "none", "The history 'memory' cannot be told to an agent."),
        ("History", "screenshots:0", "actions:9", "The history 'screenshots:0' cannot be told to an agent."),
        ("Budget in US dollars", "-1", "0", "Enter an amount such as 2.50"),
        ("Budget in US dollars", "nan", "", "Enter an amount such as 2.50"),
        ("Allowed packages", "com.example.notes Clock", "com.example.notes", "“Clock” is not a package."),
    ],
)
def test_what_cannot_be_used_is_told_at_its_field_and_runs_nothing(
    pilot: Pilot, name: str, wrong: str, right: str, words: str
) -> None:
    dialog = RunAgentDialog(MODEL, KeptFile(), pilot.window)
    dialog.open()
    field = next(one for one in dialog.findChildren(QLineEdit) if one.accessibleName() == name)
    field.setText(wrong)
    assert field.accessibleDescription().startswith(words)
    (told,) = [one for one in dialog.findChildren(QLabel) if one.text() == field.accessibleDescription()]
    assert (told.isVisible(), dialog.ok.isEnabled()) == (True, False)
    pilot.qtbot.waitUntil(lambda: faults(dialog) == [])
    field.setText(right)
    assert (field.accessibleDescription(), told.isVisible(), dialog.ok.isEnabled()) == ("", False, True)


def test_a_budget_for_a_model_without_a_price_begins_nothing(open_at: OpenAt, server: StandIn) -> None:
    def open_model(name: str, budget: float | None) -> Batch:
        return open_batch(read_settings(model=name, model_url=server.url), budget)

    pilot = open_at(Workplace(agents=AgentModels(lambda: MODEL, open_model))).watching()
    pilot.write_task()
    ask_for_agent(pilot)
    write(pilot, "Budget in US dollars", "5")
    pilot.press_in(pilot.dialog(), "Run agent")
    pilot.wait_for_text("The price of 'stand-in-1' is unknown, so a budget cannot be kept.")
    assert pilot.controller.phase is Phase.WATCHING


def test_kept_values_that_are_damaged_are_told_or_ignored(pilot: Pilot, tmp_path: Path) -> None:
    kept = KeptFile(tmp_path / "agent.json")
    kept.write({"adapter": "gone", "history": 7, "budget": ["x"], "packages": None})
    dialog = RunAgentDialog(MODEL, kept, pilot.window)
    shown = [one.text() for one in dialog.findChildren(QLineEdit)]
    assert shown == [MODEL, "actions", "", ""]
    assert dialog.ok.isEnabled()


# The person takes over.


def test_a_touch_on_the_mirror_takes_over_and_is_the_persons_step(
    pilot: Pilot, thinker: Thinker, service: FakeRecordings, device: FakeDevice
) -> None:
    run_agent(pilot)
    await_question(pilot, thinker)
    pilot.qtbot.waitUntil(lambda: pilot.mirror.takes_input)
    pilot.click(180, 300)
    pilot.wait_for_steps(1)
    pilot.wait_for_text("You have taken over.")
    thinker.say("HOME")  # for the abandoned question
    press(pilot, "Resume agent")
    assert "CLICK" in await_question(pilot, thinker)
    end(pilot, thinker)
    assert by_agent(service) == [False, True]
    assert len(device.performed) == 1


def test_a_touch_while_the_agents_is_sent_takes_over_and_the_agents_step_is_kept(
    open_window: OpenWindow, server: StandIn, thinker: Thinker, tmp_path: Path
) -> None:
    device = HeldDevice()
    service = FakeRecordings(tmp_path, device)
    pilot = open_window(service, Workplace(agents=models_of(server))).watching()
    run_agent(pilot)
    thinker.say("CLICK", x=500, y=500)
    pilot.qtbot.waitUntil(device.is_touched.is_set)
    pilot.wait_for_state(State.INJECTING)
    pilot.click(180, 300)
    pilot.wait_for_text("Agent paused")
    assert pilot.status.hint.startswith("Not recorded")
    device.may_go.set()
    pilot.wait_for_steps(1)
    pilot.click(90, 500)
    pilot.wait_for_steps(2)
    pilot.complete()
    assert by_agent(service) == [True, False, False]
    assert len(device.performed) == 2


@pytest.mark.parametrize("command", ["Esc", "Ctrl+P", "Ctrl+Return"])
def test_keys_take_over_too(pilot: Pilot, thinker: Thinker, command: str) -> None:
    run_agent(pilot)
    await_question(pilot, thinker)
    pilot.qtbot.waitUntil(lambda: pilot.mirror.takes_input)
    pilot.activate()
    QTest.keySequence(pilot.window, QKeySequence(command))
    pilot.wait_for_text("Agent paused")
    thinker.say("HOME")


def test_resuming_the_agent_ends_a_pause_too(pilot: Pilot, thinker: Thinker) -> None:
    run_agent(pilot)
    await_question(pilot, thinker)
    pilot.press("Pause")
    thinker.say("HOME")  # for the abandoned question
    press(pilot, "Resume agent")
    await_question(pilot, thinker)
    pilot.qtbot.waitUntil(lambda: pilot.status.state == "Agent")
    thinker.say("HOME")


def test_a_recording_that_a_person_begins_while_the_model_is_opened_stays_theirs(
    open_at: OpenAt, server: StandIn
) -> None:
    gate = threading.Event()

    def open_late(_: str, __: float | None) -> Batch:
        assert gate.wait(30)
        return batch_of(server)

    pilot = open_at(Workplace(agents=AgentModels(lambda: MODEL, open_late))).watching()
    pilot.write_task()
    choose(pilot)
    pilot.wait_for_text("Opening the model…")
    pilot.press("Start recording")
    pilot.wait_for_phase(Phase.RECORDING)
    runner = pilot.controller.findChild(AgentRunner)
    assert runner is not None
    with pilot.qtbot.waitSignal(runner.prepared, timeout=PATIENCE_MS):
        gate.set()
    assert (runner.has_run, pilot.controller.is_agents) == (False, False)


def test_a_question_is_withdrawn_when_the_person_acts(pilot: Pilot, thinker: Thinker, device: FakeDevice) -> None:
    device.tree = device.tree.replace("OK", "Delete all")
    run_agent(pilot)
    thinker.say("CLICK", x=500, y=500)
    pilot.wait_for_text("Allow this action?")
    pilot.qtbot.waitUntil(lambda: pilot.mirror.takes_input)
    pilot.press("Home")
    pilot.wait_for_steps(1)
    pilot.wait_for_text("Agent paused")
    pilot.qtbot.waitUntil(lambda: buttons(pilot, "Allow") == [])
    assert device.performed == [SystemKey.HOME]


# The person corrects.


def test_what_is_refused_is_kept_beside_what_is_shown_instead(
    pilot: Pilot, thinker: Thinker, service: FakeRecordings, device: FakeDevice
) -> None:
    run_agent(pilot)
    thinker.say("COMPLETE")
    pilot.wait_for_text("this ends the episode and publishes it")
    press(pilot, "Refuse")
    pilot.wait_for_text("You did not allow its last action. Show the right one, which is stored with it")
    pilot.click(180, 300)
    pilot.wait_for_steps(1)
    assert pilot.rows_of("Steps")[0].startswith("Step 1, corrected: ")
    pilot.complete()
    (pair,) = preference_pairs(service.episode, provenance(service))
    assert (pair.step, pair.rejected, isinstance(pair.chosen, Click)) == (0, Complete(), True)
    assert len(device.performed) == 1


def test_a_corrected_step_is_kept_beside_the_right_one(
    pilot: Pilot, thinker: Thinker, service: FakeRecordings, device: FakeDevice
) -> None:
    run_agent(pilot)
    for x in (300, 500):
        thinker.say("CLICK", x=x, y=500)
    for _ in range(3):
        await_question(pilot, thinker)
    pilot.shortcut("Esc").trigger()
    thinker.say("HOME")  # for the abandoned question
    pilot.wait_for_steps(2)
    steps = pilot.named(QListView, "Steps")
    steps.setCurrentIndex(steps.model().index(0, 0))
    press(pilot, "Correct step 1")
    pilot.wait_for_state(State.RESTORING)
    device.show(0)
    pilot.wait_for_steps(0)
    pilot.wait_for_text("Show the right action on the phone.")
    pilot.click(90, 500)
    pilot.wait_for_steps(1)
    assert pilot.rows_of("Steps")[0].startswith("Step 1, corrected: ")
    press(pilot, "Resume agent")
    await_question(pilot, thinker)
    end(pilot, thinker)
    (pair,) = preference_pairs(service.episode, provenance(service))
    assert (pair.step, pair.rejected) == (0, Click(Point(300, 500)))
    assert isinstance(pair.chosen, Click)
    assert pair.chosen != pair.rejected
    assert '"x": 300' in pair.agent.raw


def test_the_window_closes_while_the_agent_asks_and_keeps_its_steps(
    pilot: Pilot, thinker: Thinker, service: FakeRecordings
) -> None:
    run_agent(pilot)
    thinker.say("CLICK", x=500, y=200)
    thinker.say("COMPLETE")
    pilot.wait_for_text("Allow this action?")
    pilot.window.close()
    assert [(draft.steps, draft.problem) for draft in service.drafts()] == [(1, "")]
