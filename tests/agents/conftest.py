"""For tests of agents."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from odyssey_recorder.agents.adapter import adapter_named
from odyssey_recorder.agents.guard import Guard
from odyssey_recorder.agents.history import HistoryRule
from odyssey_recorder.agents.online import Agent, AgentRun
from tests.agents.duo import Duo, Watcher
from tests.agents.thinking import Thinker, batch_of
from tests.command_line import CommandLine
from tests.fakes import FakeDevice
from tests.llm.stand_in import StandIn
from tests.recording.recording_bench import RecordingBench


@pytest.fixture
def device(request: pytest.FixtureRequest) -> FakeDevice:
    """Of the class that the test is parametrized with."""
    kind: type[FakeDevice] = getattr(request, "param", FakeDevice)
    return kind()


@pytest.fixture
def duo(tmp_path: Path, command_line: CommandLine, device: FakeDevice) -> Iterator[Duo]:
    thinker, watcher = Thinker(), Watcher()
    bench = RecordingBench(tmp_path)
    with StandIn(thinker) as server, ThreadPoolExecutor(1) as thread, bench.recording(device) as recording:
        recording.ready()
        agent = Agent(adapter_named("ours"), batch_of(server), HistoryRule.parse("actions"), Guard())
        run = AgentRun(agent, recording.recorder, watcher, "Do it.", 30)
        yield Duo(recording, device, run, thinker, watcher, thread)
        recording.recorder.take_over()
