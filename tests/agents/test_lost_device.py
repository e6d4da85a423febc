"""A device that dies, is slow or comes back under an agent: a real recorder on a device in memory."""

import threading
from pathlib import Path

import pytest

from odyssey_recorder.agents.adapter import adapter_named
from odyssey_recorder.agents.asking import Agent
from odyssey_recorder.agents.guard import Guard
from odyssey_recorder.agents.history import HistoryRule
from odyssey_recorder.agents.online import LOST_S
from odyssey_recorder.agents.outcome import StopReason
from odyssey_recorder.commands.agent_tasks import Attempts, TaskJob
from odyssey_recorder.device.adb_shell import ANSWER_S
from odyssey_recorder.device.device import ScreenState
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.errors import DeviceDisconnectedError, DeviceError
from odyssey_recorder.recording.state import State
from odyssey_recorder.tasks.listing import ListedTask
from tests.agents.conftest import SharedRecording, Watcher
from tests.agents.controlled_model import batch_of, says
from tests.cli import CommandLine, wait_until
from tests.fakes import FakeDevice
from tests.gui.fakes import TASK, FakeRecordings
from tests.llm.stand_in import StandIn

NEVER_S = 1e9


class SlowDevice(FakeDevice):
    """Gives frames only while the gate is open, and then answers all that were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()

    def capture(self) -> Frame:
        assert self.gate.wait(60)
        return super().capture()


class HalfDeadDevice(FakeDevice):
    """Its frames still come, but adb has lost it."""

    is_dead = False

    def screen_state(self) -> ScreenState:
        if self.is_dead:
            raise DeviceDisconnectedError(f"{self.serial} is gone.")
        return super().screen_state()

    def view_hierarchy(self) -> str:
        if self.is_dead:
            raise DeviceDisconnectedError(f"{self.serial} is gone.")
        return super().view_hierarchy()


class HangingDevice(FakeDevice):
    """The first question for its screen state is only answered once it is closed, and it refuses all inputs."""

    def __init__(self) -> None:
        super().__init__(serial="emulator-5554")
        self.is_closed = threading.Event()
        self.queries = 0
        self.refuse_input()

    def screen_state(self) -> ScreenState:
        self.queries += 1
        if self.queries == 1:
            assert self.is_closed.wait(60), "the device was not closed"
            raise DeviceError("It was closed.")
        return super().screen_state()

    def close(self) -> None:
        self.is_closed.set()
        super().close()


def test_adb_reports_a_hung_device_before_the_agent_gives_up() -> None:
    assert ANSWER_S < LOST_S <= 15


@pytest.mark.parametrize("moment", ["looking", "asking", "acting"])
@pytest.mark.parametrize("hangs", [True, False])
def test_lost_device_ends_the_turn_at_any_moment(shared: SharedRecording, moment: str, hangs: bool) -> None:
    shared.run.lost_s = 0.0
    dies = shared.device.freeze if hangs else shared.device.disconnect
    if moment == "looking":
        dies()
    elif moment == "acting":
        shared.watcher.on_report = dies
        shared.agent_clicks()
    ended = shared.hand_over()
    if moment == "asking":
        shared.thinker.await_question()
        dies()
    assert ended() is StopReason.DEVICE
    assert shared.run.run.why.startswith(
        "fake-1 did not answer" if hangs else "fake-1 is gone. Restart it or plug it in."
    )
    assert shared.run.run.why.endswith("The draft is saved.")
    if moment == "asking":
        shared.agent_clicks()  # for the abandoned question


@pytest.mark.parametrize("device", [SlowDevice], indirect=True)
def test_slow_device_is_waited_for(shared: SharedRecording, device: SlowDevice) -> None:
    shared.run.lost_s = 0.0
    device.gate.clear()
    shared.person_clicks()
    shared.recording.until(State.CHECKING)
    ended = shared.hand_over()
    wait_until(lambda: shared.watcher.looks > 20)
    assert shared.thinker.was_asked() is False
    device.gate.set()
    shared.thinker.await_question()
    shared.thinker.say("IMPOSSIBLE", text="That is all.")
    assert ended() is StopReason.IMPOSSIBLE


def test_recovered_device_continues_the_turn(shared: SharedRecording) -> None:
    shared.run.lost_s = NEVER_S
    ended = shared.hand_over()
    shared.thinker.await_question()
    shared.device.disconnect()
    shared.recording.until(State.DEVICE_LOST)
    assert shared.recording.recorder.silent_s > 0.0
    shared.device.recover()
    shared.recording.ready()
    assert shared.recording.recorder.silent_s == 0.0, "another loss begins anew"
    shared.agent_clicks()
    shared.thinker.await_question()
    shared.thinker.say("IMPOSSIBLE", text="That is all.")
    assert ended() is StopReason.IMPOSSIBLE


@pytest.mark.parametrize("device", [HalfDeadDevice], indirect=True)
def test_device_lost_only_by_adb_ends_the_turn(shared: SharedRecording, device: HalfDeadDevice) -> None:
    before = shared.recording.ready().frame_number
    device.is_dead = True
    device.show(1)
    shared.recording.ready(after=before)
    shared.run.tree_s = 0.0
    assert shared.hand_over()() is StopReason.DEVICE
    assert shared.run.run.why == "fake-1 does not answer over adb any more. The draft is saved."


def test_result_does_not_wait_for_a_hanging_device(cli: CommandLine, tmp_path: Path) -> None:
    device = HangingDevice()
    with StandIn(lambda _: says("CLICK", x=500, y=200)) as server:
        agent = Agent(adapter_named("ours"), batch_of(server), HistoryRule.parse("none"), Guard())
        job = TaskJob(ListedTask("t", TASK), None, 0)
        result = Attempts(agent, Watcher(), 30).attempt(job, FakeRecordings(tmp_path, device), device)
    assert (result.stop, result.steps) == (StopReason.DEVICE, 0)
    assert "3 actions in a row came too late or were refused" in result.why
    assert device.is_closed.is_set()
