from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes import FakeDevice
from tests.recording.recording_bench import Recording, RecordingBench


@pytest.fixture
def bench(tmp_path: Path) -> RecordingBench:
    return RecordingBench(tmp_path)


@pytest.fixture
def device() -> FakeDevice:
    return FakeDevice()


@pytest.fixture
def recording(bench: RecordingBench, device: FakeDevice) -> Iterator[Recording]:
    with bench.recording(device) as recording:
        yield recording
