"""An agent and a person on one recording of a device in memory."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from odyssey_recorder.agents.online import AgentRun, Stop
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Pixel
from tests.agents.thinking import Thinker
from tests.fakes import FakeDevice
from tests.recording.recording_bench import PATIENCE_S, Recording

OF_AGENT, OF_PERSON = Pixel(180, 300), Pixel(90, 500)


@dataclass
class Watcher:
    """The person, who may act when told what the agent is about to do."""

    is_there = True
    on_told: Callable[[], None] = lambda: None
    allowed: list[str] = field(default_factory=list)
    answer: bool | None = True
    looks: int = 0

    def told(self, step: int, words: str) -> None:
        self.on_told()

    def allows(self, words: str, concern: str) -> bool | None:
        self.allowed.append(concern)
        return self.answer

    def has_stopped(self) -> bool:
        self.looks += 1
        return False


@dataclass(frozen=True)
class Duo:
    """An agent in a thread of its own, and a person, on one recording."""

    recording: Recording
    device: FakeDevice
    run: AgentRun
    thinker: Thinker
    watcher: Watcher
    thread: ThreadPoolExecutor

    def agent_clicks(self) -> None:
        self.thinker.say("CLICK", x=500, y=round(OF_AGENT.y * 1000 / 640))

    def person_clicks(self) -> None:
        recorder = self.recording.recorder
        recorder.touch_down(recorder.view.frame_number or 0)
        recorder.lift(TouchStroke.press(OF_PERSON))

    def hand_over(self) -> Callable[[], Stop]:
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
