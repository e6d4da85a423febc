from pathlib import Path

import pytest

from tests.fakes import FakeDevice
from tests.recording.recording_bench import RecordingBench


@pytest.fixture
def service(tmp_path: Path) -> RecordingBench:
    return RecordingBench(tmp_path)


@pytest.fixture
def device() -> FakeDevice:
    return FakeDevice()
