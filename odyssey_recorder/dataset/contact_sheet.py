"""Contact sheets: the screenshots of whole episodes in one image, each with its action drawn on it."""

from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageOps

from odyssey_recorder.dataset.action_marks import draw_action
from odyssey_recorder.dataset.image_text import load_font, truncated, wrapped
from odyssey_recorder.dataset.opened import OpenedEpisode
from odyssey_recorder.dataset.png import read_png
from odyssey_recorder.files import storage_errors
from odyssey_recorder.model.action import Action, describe
from odyssey_recorder.model.episode import Episode
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.model.plain_text import step_number

_SHEET_PX = 2000
_MARGIN = 48
_GAP = 24
_PAD = 12
_CAPTION = 84
_LINE = 46
_FACTS = 56
_COLUMNS_UPRIGHT = 7
_COLUMNS_WIDE = 4
_PAPER, _CARD, _EDGE, _TEXT, _FAINT = "#eef0f3", "#ffffff", "#d5d8dd", "#202124", "#5f6368"


def draw_contact_sheet(episodes: Sequence[OpenedEpisode]) -> Image.Image:
    """An RGB image, 2000 px wide. Raises DatasetError naming a screenshot that cannot be read."""
    parts = [_draw_episode(opened) for opened in episodes]
    sheet = Image.new("RGB", (_SHEET_PX, sum(part.height for part in parts) + _MARGIN), _PAPER)
    top = 0
    for part in parts:
        sheet.paste(part, (0, top))
        top += part.height
    return sheet


def _draw_episode(opened: OpenedEpisode) -> Image.Image:
    episode, size = opened.episode, opened.episode.device.size
    columns = _COLUMNS_UPRIGHT if size.height > size.width else _COLUMNS_WIDE
    card = Size((_SHEET_PX - 2 * _MARGIN + _GAP) // columns - _GAP, 0)
    width = card.width - 2 * _PAD
    card = Size(card.width, _CAPTION + width * size.height // size.width + _PAD)
    title = wrapped(episode.task.instruction, load_font(36, bold=True), _SHEET_PX - 2 * _MARGIN, lines=3)
    head = _MARGIN + len(title) * _LINE + _FACTS
    rows = -(-len(episode.steps) // columns)
    part = Image.new("RGB", (_SHEET_PX, head + rows * (card.height + _GAP)), _PAPER)
    _draw_title(ImageDraw.Draw(part), title, episode)
    for number, step in enumerate(episode.steps):
        row, column = divmod(number, columns)
        at = (_MARGIN + column * (card.width + _GAP), head + row * (card.height + _GAP))
        part.paste(_draw_card(card, number, step.action, opened.files.screenshot(number)), at)
    return part


def _draw_title(draw: ImageDraw.ImageDraw, title: Sequence[str], episode: Episode) -> None:
    for index, line in enumerate(title):
        draw.text((_MARGIN, _MARGIN + index * _LINE), line, font=load_font(36, bold=True), fill=_TEXT)
    device = episode.device
    facts = (
        f"{episode.task.category}  ·  {', '.join(episode.task.apps)}  ·  {device.device_name} {device.size}  ·  "
        f"{len(episode.steps)} steps  ·  {episode.episode_id}"
    )
    place = (_MARGIN, _MARGIN + len(title) * _LINE + 4)
    draw.text(place, truncated(facts, load_font(22), _SHEET_PX - 2 * _MARGIN), font=load_font(22), fill=_FAINT)


def _draw_card(size: Size, number: int, action: Action, path: Path) -> Image.Image:
    card = Image.new("RGB", (size.width, size.height), _PAPER)
    draw = ImageDraw.Draw(card)
    draw.rounded_rectangle((0, 0, size.width - 1, size.height - 1), 14, fill=_CARD, outline=_EDGE)
    draw.text((_PAD, 9), str(step_number(number)), font=load_font(20), fill=_FAINT)
    room, text = size.width - 2 * _PAD - 32, describe(action).replace("→", "to")  # the font has no arrow
    for line, words in enumerate(wrapped(text, load_font(17), room, lines=3)):
        draw.text((_PAD + 32, 11 + 23 * line), words, font=load_font(17), fill=_TEXT)
    box = (size.width - 2 * _PAD, size.height - _CAPTION - _PAD)
    image = draw_action(_read_image(path, box), action)
    left, top = (size.width - image.width) // 2, _CAPTION
    card.paste(image, (left, top))
    draw.rectangle((left - 1, top - 1, left + image.width, top + image.height), outline=_EDGE)
    return card


def _read_image(path: Path, box: tuple[int, int]) -> Image.Image:
    with storage_errors(path, "read"):
        return ImageOps.contain(read_png(path), box, Image.Resampling.BOX)
