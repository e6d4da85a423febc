from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from odyssey_recorder.dataset.action_marks import draw_action
from odyssey_recorder.dataset.contact_sheet import draw_contact_sheet
from odyssey_recorder.dataset.image_text import load_font, truncated, wrapped
from odyssey_recorder.dataset.layout import EpisodeFiles
from odyssey_recorder.dataset.opened import OpenedEpisode
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.model.action import Action, Click, Complete, Impossible, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.episode import DeviceInfo
from odyssey_recorder.model.geometry import Point, Size
from odyssey_recorder.model.plain_text import on_one_line
from tests.episodes import episode

EPISODE_ID = "0000000000000007"
VIEW = Image.new("RGB", (360, 720), "white")

Area = tuple[int, int, int, int]


def drawn_area(action: Action) -> Area:
    """The box around what `draw_action` drew on a white image of 360x720."""
    area = ImageChops.difference(draw_action(VIEW, action), VIEW).getbbox()
    assert area is not None
    return area


def with_screenshot(folder: Path, actions: list[Action], *, size: Size) -> OpenedEpisode:
    one = episode(*actions, episode_id=EPISODE_ID)
    for step in one.steps:
        Image.new("RGB", (size.width, size.height), "teal").save(folder / step.screenshot)
    files = EpisodeFiles.of(folder / f"{EPISODE_ID}.json")
    return OpenedEpisode(replace(one, device=DeviceInfo("Fake Phone", size)), files)


@pytest.mark.parametrize("action", [Click(Point(250, 500)), LongPress(Point(250, 500))])
def test_press_is_drawn_around_its_point_on_a_copy(action: Action) -> None:
    left, top, right, bottom = drawn_area(action)
    assert (left + right) / 2 == pytest.approx(90, abs=1)
    assert (top + bottom) / 2 == pytest.approx(360, abs=1)
    assert right - left < 80
    assert Image.new("RGB", (360, 720), "white") == VIEW


def test_long_press_is_drawn_larger_than_click() -> None:
    click, long_press = drawn_area(Click(Point(500, 500))), drawn_area(LongPress(Point(500, 500)))
    assert long_press[2] - long_press[0] > 1.2 * (click[2] - click[0])


def test_scroll_is_an_arrow_along_its_path() -> None:
    up = Scroll(Point(500, 800), Point(500, 200), (Point(500, 800), Point(500, 500), Point(500, 200)))
    drawn = draw_action(VIEW, up)
    left, top, right, bottom = drawn_area(up)
    assert top == pytest.approx(144, abs=10)
    assert bottom == pytest.approx(576, abs=15)
    assert right - left < 40
    assert _width_at(drawn, 150) > 2 * _width_at(drawn, 400)


def _width_at(drawn: Image.Image, row: int) -> int:
    area = ImageChops.difference(drawn, VIEW).crop((0, row, 360, row + 1)).getbbox()
    return 0 if area is None else area[2] - area[0]


def test_scroll_without_movement_is_visible() -> None:
    at = Point(500, 500)
    assert drawn_area(Scroll(at, at, (at, at)))[3] > 360


@pytest.mark.parametrize(
    "action",
    [
        Type("buy milk"),
        Type(""),
        Type("x" * 1_000_000),
        Type("line\nafter\x00line ‮"),
        Press(SystemKey.BACK),
        Complete(),
        Impossible("no flights"),
    ],
)
def test_action_without_position_is_labelled_at_the_bottom(action: Action) -> None:
    left, top, right, bottom = drawn_area(action)
    assert top > 720 * 0.8
    assert bottom < 720
    assert left > 0
    assert left + right == pytest.approx(360, abs=2)


def test_complete_and_impossible_have_different_colours() -> None:
    at = (180 - 60, 634)
    colours = {draw_action(VIEW, action).getpixel(at) for action in (Complete(), Impossible("x"))}
    assert len(colours) == 2


def test_sheet_shows_every_step_of_every_episode(tmp_path: Path) -> None:
    phone, tablet = tmp_path / "phone", tmp_path / "tablet"
    phone.mkdir()
    tablet.mkdir()
    down = Scroll(Point(500, 200), Point(500, 800), (Point(500, 200), Point(500, 800)))
    presses: list[Action] = [Click(Point(500, 500)), LongPress(Point(1, 1)), Press(SystemKey.HOME)]
    actions: list[Action] = [*presses, *presses, down, Type("milk"), Impossible("no milk")]

    upright = with_screenshot(phone, actions, size=Size(360, 640))
    wide = with_screenshot(tablet, actions[-1:], size=Size(640, 400))
    sheet = draw_contact_sheet([upright, wide])
    alone = draw_contact_sheet([wide])

    teal = ImageChops.difference(sheet, Image.new("RGB", sheet.size, "teal")).convert("L").point([255] + [0] * 255)
    assert sheet.width == 2000
    assert sheet.height > 2 * alone.height
    assert len(_rows(teal)) == 3


def _rows(mask: Image.Image) -> list[int]:
    """Starts of the runs of nonempty rows, with outlines filled."""
    filled = mask.resize((1, mask.height), Image.Resampling.BOX).point([0] + [255] * 255).tobytes()
    return [row for row in range(1, len(filled)) if filled[row] and not filled[row - 1]]


@pytest.mark.parametrize("content", [None, b"GIF89a"])
def test_missing_or_invalid_screenshot_is_named(tmp_path: Path, content: bytes | None) -> None:
    opened = with_screenshot(tmp_path, [Complete()], size=Size(360, 640))
    opened.files.screenshot(0).unlink()
    if content is not None:
        opened.files.screenshot(0).write_bytes(content)
    with pytest.raises(DatasetError, match=f"{EPISODE_ID}_0.png"):
        draw_contact_sheet([opened])


def test_text_wraps_between_words_and_is_truncated_to_fit() -> None:
    font = load_font(20)
    cut = truncated("a rather long sentence that does not fit", font, 150)
    assert cut.endswith("…")
    assert font.getlength(cut) <= 150
    assert truncated("short", font, 150) == "short"
    lines = wrapped("one two three four five six seven eight nine", font, 100, lines=2)
    assert len(lines) == 2
    assert lines[0] == "one two"
    assert lines[1].endswith("…")
    assert wrapped("one two", font, 100, lines=2) == ["one two"]
    assert wrapped("", font, 100, lines=2) == [""]


def test_invisible_characters_and_excess_text_are_left_out() -> None:
    assert on_one_line("a\nb\x00c‮  d") == "a b c d"
    assert on_one_line("x" * 1_000_000) == "x" * 400 + "…"
