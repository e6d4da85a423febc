import json
from pathlib import Path

import pytest
from PIL import Image

from odyssey_recorder.errors import DatasetError, InvalidEpisodeError, ReplayError
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.geometry import Pixel
from odyssey_recorder.replay.recorded import check_screenshots, open_recorded, recorded_screenshot, recorded_stroke
from tests.fakes import screenshot
from tests.replay.recordings import EPISODE_ID, ONE_OF_EACH, episode_of, write_images, write_provenance


def test_episode_of_a_dataset_without_provenance(path: Path) -> None:
    recorded = open_recorded(path)
    check_screenshots(recorded)
    assert recorded.episode.episode_id == EPISODE_ID
    assert all(recorded.files.screenshot(step).name == f"{EPISODE_ID}_{step}.png" for step in range(6))
    assert recorded.provenance is None
    assert recorded_stroke(recorded, 0) is None


def test_screenshots_of_a_lone_file_are_in_its_folder(tmp_path: Path, path: Path) -> None:
    lone = tmp_path / "elsewhere"
    lone.mkdir()
    write_images(lone, episode_of(ONE_OF_EACH))
    with pytest.raises(DatasetError, match=r"gone\.json"):
        open_recorded(lone / "gone.json")

    recorded = open_recorded(path.rename(lone / "an episode.json"))

    check_screenshots(recorded)
    assert recorded.files.screenshot(0) == lone / f"{EPISODE_ID}_0.png"
    recorded.files.screenshot(3).unlink()
    with pytest.raises(ReplayError, match=rf"step 4 is missing: .*{EPISODE_ID}_3\.png"):
        check_screenshots(recorded)


def test_provenance_gives_strokes_and_verifies_pixels(tmp_path: Path, path: Path) -> None:
    click = TouchStroke.press(Pixel(180, 160), duration_ms=77)
    write_provenance(tmp_path, episode_of(ONE_OF_EACH), {0: click})

    recorded = open_recorded(path)

    recorded_screenshot(recorded, 1).save(recorded.files.screenshot(1), compress_level=9)  # only pixels count
    check_screenshots(recorded)
    assert recorded_stroke(recorded, 0) == click
    assert recorded_stroke(recorded, 1) is None
    screenshot(99, recorded.episode.device.size).save(recorded.files.screenshot(4))
    with pytest.raises(ReplayError, match="step 5 is not the one that was recorded"):
        check_screenshots(recorded)


@pytest.mark.parametrize("keep", [0, 7, 40, 200])
def test_truncated_recorded_screenshot_is_named(path: Path, keep: int) -> None:
    recorded = open_recorded(path)
    recorded.files.screenshot(2).write_bytes(recorded.files.screenshot(2).read_bytes()[:keep])
    with pytest.raises(ReplayError, match="screenshot of step 3 cannot be read"):
        check_screenshots(recorded)


def test_screenshot_of_wrong_format_or_size_is_refused(path: Path) -> None:
    recorded = open_recorded(path)

    screenshot(1, recorded.episode.device.size).save(recorded.files.screenshot(0), "JPEG")
    with pytest.raises(ReplayError, match="it is not a PNG"):
        check_screenshots(recorded)
    Image.new("RGB", (640, 360)).save(recorded.files.screenshot(0))
    check_screenshots(recorded)
    Image.new("RGB", (361, 640)).save(recorded.files.screenshot(0))
    with pytest.raises(ReplayError, match=r"step 1 is 361x640, but the episode's device has 360x640"):
        check_screenshots(recorded)


def test_screenshot_path_outside_the_folder_is_refused(path: Path) -> None:
    tree = json.loads(path.read_text())
    tree["steps"][0]["screenshot"] = f"../../{EPISODE_ID}_0.png"
    path.write_text(json.dumps(tree))
    with pytest.raises(InvalidEpisodeError, match="screenshot"):
        open_recorded(path)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"format": 99}, "newer"),
        ({"episode_id": "0000000000000001"}, "not the provenance of this episode"),
        ({"steps": []}, "not the provenance of this episode"),
        ({"origin": 5}, "cannot be read"),
    ],
)
def test_foreign_or_invalid_provenance_is_refused(
    tmp_path: Path, path: Path, changes: dict[str, object], complaint: str
) -> None:
    file = write_provenance(tmp_path, episode_of(ONE_OF_EACH), {})
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))
    with pytest.raises(ReplayError, match=complaint):
        open_recorded(path)
