"""The demo's agent: a script in place of a language model, which another script corrects as a person would."""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

from rich.console import Console

from odyssey_recorder.agents.adapter import adapter_named
from odyssey_recorder.agents.asking import Agent
from odyssey_recorder.agents.guard import Guard
from odyssey_recorder.agents.history import HistoryRule
from odyssey_recorder.agents.online import AgentRun
from odyssey_recorder.agents.outcome import StopReason
from odyssey_recorder.commands.agent_tasks import NoSupervisor
from odyssey_recorder.commands.demo_annotator import Eyes, On
from odyssey_recorder.commands.terminal import say
from odyssey_recorder.device.device import Device
from odyssey_recorder.errors import RecordingError
from odyssey_recorder.llm.answer_cache import AnswerCache
from odyssey_recorder.llm.batch import Batch
from odyssey_recorder.llm.model import ModelAnswer, ModelRequest, OfferedModel, Usage
from odyssey_recorder.llm.prices import read_prices
from odyssey_recorder.model.action import Action, Click, Complete, Press, SystemKey
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.model.geometry import Pixel, Size, to_grid
from odyssey_recorder.recording import script
from odyssey_recorder.services.recording import RecordingService

_INSTRUCTION = "Open the notification settings, and go back to the home screen."
_TASK = TaskInfo(
    "General_Tool", ("Settings",), "Open the {} settings.", "Open the notification settings.", _INSTRUCTION
)
_RIGHT = On("Notifications")
_ANSWERS: tuple[On | Action | None, ...] = (
    On("Settings"),
    On("Display"),  # wrong
    None,
    Press(SystemKey.HOME),
    Complete("The notification settings were open."),
)


class ScriptedModel:
    """Gives its answers in turn, for the screen as it is; None never comes."""

    name: ClassVar[str] = "demo script, no language model"
    host: ClassVar[str] = "http://127.0.0.1"

    def __init__(self, eyes: Eyes, size: Size, answers: Sequence[On | Action | None]) -> None:
        self._eyes = eyes
        self._size = size
        self._answers = iter(answers)
        self.waits = threading.Event()

    async def ask(self, question: ModelRequest) -> ModelAnswer:
        answer = next(self._answers)
        if answer is None:
            self.waits.set()
            await asyncio.Event().wait()  # until its step is rejected, and the question is abandoned
        adapter = adapter_named("ours")
        raw = adapter.write(self._action(answer), adapter.frame(self._size, self._size)) or ""
        now = datetime.now(UTC)
        return ModelAnswer(question.read(raw), raw, self.name, self.name, self.host, now, Usage(0, 0))

    async def offered(self) -> Sequence[OfferedModel]:
        return [OfferedModel(self.name)]

    async def close(self) -> None:
        pass

    def _action(self, answer: On | Action | None) -> Action:
        if not isinstance(answer, On):
            assert answer is not None
            return answer
        tap = self._eyes.command(answer)
        assert isinstance(tap, script.Tap)
        return Click(to_grid(Pixel(*tap.tap), self._size))


def record_with_agent(service: RecordingService, device: Device, eyes: Eyes, out: Console) -> Path:
    """An episode by the scripted agent, whose second step is corrected by another script. Raises OdysseyError."""
    device.press(SystemKey.HOME)
    player = script.ScriptPlayer()
    recorder = replace(service, snapshots="always").begin(device, Assignment(_TASK), player, actor="agent")
    model = ScriptedModel(eyes, device.properties().size, _ANSWERS)
    with closing(AnswerCache()) as cache, ThreadPoolExecutor(1) as thread:
        agent = Agent(adapter_named("ours"), Batch(model, cache, read_prices()), HistoryRule.parse("actions"), Guard())
        run = AgentRun(agent, recorder, NoSupervisor(), _INSTRUCTION, len(_ANSWERS))
        try:
            recorder.start()
            recorder.hand_over()
            turn = thread.submit(run.play)
            model.waits.wait(script.PATIENCE_S)
            recorder.undo(rejects=True)
            turn.result()
            recorder.wait_for(lambda view: view.is_read and view.is_correcting, script.PATIENCE_S)
            player.perform(eyes.command(_RIGHT), recorder)
            recorder.hand_over()
            ended = run.play()
            if ended.stop is not StopReason.COMPLETE:
                raise RecordingError(f"The demo's agent ended early: {ended.why} The draft is saved.")
            published = player.published(recorder).published
        finally:
            recorder.stop()
            recorder.join()
    assert published is not None
    say(f"  {_INSTRUCTION}", to=out)
    say("    by a scripted agent, 4 steps; a second script took over and corrected step 2", to=out)
    return published
