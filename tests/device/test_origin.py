"""What a recording says of where it was made: the emulator, its system image, and the apps."""

from contextlib import closing
from pathlib import Path

import pytest

from odyssey_recorder.dataset.provenance import EpisodeProvenance
from odyssey_recorder.device.connector import DeviceConnector
from odyssey_recorder.device.device import Device
from odyssey_recorder.device.dumpsys import app_version
from odyssey_recorder.model.assignment import Assignment
from odyssey_recorder.services.recording import RecordingService
from odyssey_simulator import __version__
from tests.dataset.drafts import TASK, store_in
from tests.device.bench import DeviceBench
from tests.recording.recording_bench import Annotator

IMAGE = "system-images/android-34/google_apis/x86_64/"


@pytest.fixture
def over_grpc() -> bool:
    return True


def test_recording_says_versions_of_emulator_image_and_app(bench: DeviceBench, tmp_path: Path) -> None:
    [discovery] = bench.folder.glob("pid_*.ini")
    (tmp_path / "x.avd").mkdir()
    (tmp_path / "x.avd" / "config.ini").write_text(f"image.sysdir.1 = {IMAGE}\n")
    stated = [line for line in discovery.read_text().splitlines() if not line.startswith("avd.dir")]
    discovery.write_text("\n".join([*stated, f"avd.dir={tmp_path / 'x.avd'}", ""]))
    connector = DeviceConnector(bench.server, running=(bench.folder,))
    service = RecordingService(connector, store_in(tmp_path), "ann")
    with closing(connector.connect(bench.emulator.serial)) as device:
        provenance = record_nothing(service, device)
    assert provenance.origin.emulator_version == f"{__version__} (simulated)"
    assert provenance.origin.system_image == IMAGE
    [step] = provenance.steps
    assert step.screen is not None
    assert (step.screen.package, step.screen.app_version) == ("com.android.launcher3", "1.0 (1)")


def record_nothing(service: RecordingService, device: Device) -> EpisodeProvenance:
    recorder = service.begin(device, Assignment(TASK), Annotator())
    recorder.start()
    try:
        recorder.wait_for(lambda view: view.is_read or view.no_tree != "", 60)
        recorder.complete()
        recorder.wait_for(lambda view: view.published is not None, 60)
    finally:
        recorder.stop()
        recorder.join()
    found = service.store.provenance(recorder.episode_id)
    assert found is not None
    return found


def test_version_of_an_updated_system_app_is_the_update() -> None:
    dump = "Packages:\n  Package [a.b] (1f):\n    versionCode=661308832 minSdk=29\n    versionName=128.0.6613.88\n"
    older = "Hidden system packages:\n  Package [a.b] (2f):\n    versionCode=5 minSdk=29\n    versionName=1.2\n"
    assert app_version(dump + older) == "128.0.6613.88 (661308832)"
    assert app_version("Unable to find package: a.b\n") == ""
