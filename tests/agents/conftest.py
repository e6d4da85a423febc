"""An agent and a person on one recording of a device in memory."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from odyssey_recorder.agents.adapter import adapter_named
from odyssey_recorder.agents.asking import Agent
from odyssey_recorder.agents.guard import Guard
from odyssey_recorder.agents.history import HistoryRule
from odyssey_recorder.agents.online import AgentRun
from odyssey_recorder.agents.outcome import StopReason
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Pixel
from tests.agents.controlled_model import ControlledModel, batch_of
from tests.cli import CommandLine
from tests.fakes import FakeDevice
from tests.llm.stand_in import StandIn
from tests.recording.recording_bench import PATIENCE_S, Recording, RecordingBench

OF_AGENT, OF_PERSON = Pixel(180, 300), Pixel(90, 500)


@dataclass
class Watcher:
    """The person, who can act when an action of the agent is announced."""

    is_there = True
    on_report: Callable[[], None] = lambda: None
    allowed: list[str] = field(default_factory=list)
    answer: bool | None = True
    asked: list[str] = field(default_factory=list)
    words: str | None = "The blue one."
    looks: int = 0

    def report(self, step: int, words: str) -> None:
        self.on_report()

    def allows(self, words: str, concern: str) -> bool | None:
        self.allowed.append(concern)
        return self.answer

    def reply(self, question: str) -> str | None:
        self.asked.append(question)
        return self.words

    def has_stopped(self) -> bool:
        self.looks += 1
        return False


@dataclass(frozen=True)
class SharedRecording:
    """An agent in a thread of its own, and a person, on one recording."""

    recording: Recording
    device: FakeDevice
    run: AgentRun
    thinker: ControlledModel
    watcher: Watcher
    thread: ThreadPoolExecutor

    def agent_clicks(self) -> None:
        self.thinker.say("CLICK", x=500, y=round(OF_AGENT.y * 1000 / 640))

    def person_clicks(self) -> None:
        recorder = self.recording.recorder
        recorder.touch_down(recorder.view.frame_number or 0)
        recorder.lift(TouchStroke.press(OF_PERSON))

    def hand_over(self) -> Callable[[], StopReason]:
        """Begin a turn; the result waits for its end."""
        self.recording.recorder.hand_over()
        playing = self.thread.submit(self.run.play)
        return lambda: playing.result(PATIENCE_S).stop

    def check_steps(self) -> list[bool]:
        """Who made the steps, True for the agent: each was sent to the device once, in this order."""
        steps = self.recording.draft.steps
        strokes = [one for one in self.device.performed if isinstance(one, TouchStroke)]
        by_agent = [step.record.agent is not None for step in steps]
        assert [one.start for one in strokes] == [OF_AGENT if one else OF_PERSON for one in by_agent]
        return by_agent


@pytest.fixture
def device(request: pytest.FixtureRequest) -> FakeDevice:
    """An instance of the class that the test is parametrized with."""
    kind: type[FakeDevice] = getattr(request, "param", FakeDevice)
    return kind()


@pytest.fixture
def shared(tmp_path: Path, cli: CommandLine, device: FakeDevice) -> Iterator[SharedRecording]:
    thinker, watcher = ControlledModel(), Watcher()
    bench = RecordingBench(tmp_path)
    with StandIn(thinker) as server, ThreadPoolExecutor(1) as thread, bench.recording(device) as recording:
        recording.ready()
        agent = Agent(adapter_named("ours"), batch_of(server), HistoryRule.parse("actions"), Guard())
        run = AgentRun(agent, recording.recorder, watcher, "Do it.", 30)
        yield SharedRecording(recording, device, run, thinker, watcher, thread)
        recording.recorder.take_over()
