"""Estimates the tokens of a question: by a rule of thumb for text, by the vendors' rules for images."""

import json
import math
from io import BytesIO

import PIL
from PIL import Image as Picture

from odyssey_recorder.llm.model import LONGEST_ANSWER, ChatMessage, Image, LazyImage, ModelRequest, Part, Usage, Words
from odyssey_recorder.llm.prices import PictureRule

USUAL_ANSWER = 200

_BYTES = 4
"""UTF-8 bytes per token: four letters of English, little more than one character of Chinese."""
_MESSAGE = 4
_TILE, _TILE_TOKENS, _PICTURE_TOKENS = 512, 170, 85
_LONG_SIDE, _SHORT_SIDE = 2048, 768
_PATCH = 32
_UNREADABLE = (_LONG_SIDE, _SHORT_SIDE)


def estimated_usage(question: ModelRequest, picture: PictureRule, usual_answer: int = USUAL_ANSWER) -> Usage:
    """The estimate for a question with a usual answer, or the longest one it allows if that is shorter."""
    words = len(json.dumps(dict(question.schema))) // _BYTES
    tokens_in = words + sum(_of_message(message, picture) for message in question.messages)
    return Usage(tokens_in, min(usual_answer, int(question.parameters.get(LONGEST_ANSWER, usual_answer))))


def picture_tokens(width: int, height: int, picture: PictureRule) -> int:
    """For an image of this size in pixels at detail "high"."""
    if picture.count == "patches":
        return math.ceil(picture.factor * _patches(width, height, picture.patches_at_most))
    fit = min(1.0, _LONG_SIDE / max(width, height))
    fit *= min(1.0, _SHORT_SIDE / (fit * min(width, height)))
    tiles = math.ceil(width * fit / _TILE) * math.ceil(height * fit / _TILE)
    return _PICTURE_TOKENS + _TILE_TOKENS * tiles


def _patches(width: int, height: int, at_most: int | None) -> int:
    """By OpenAI's guide to images: made smaller until whole patches fit in one direction."""
    wide, high = width / _PATCH, height / _PATCH
    if at_most is not None and math.ceil(wide) * math.ceil(high) > at_most:
        fit = math.sqrt(at_most / (wide * high))
        fit *= min(max(1, math.floor(side * fit)) / (side * fit) for side in (wide, high))
        wide, high = round(wide * fit, 6), round(high * fit, 6)
    return math.ceil(wide) * math.ceil(high)


def _of_message(message: ChatMessage, picture: PictureRule) -> int:
    return _MESSAGE + sum(_of_part(part, picture) for part in message.parts)


def _of_part(part: Part, picture: PictureRule) -> int:
    match part:
        case Words(text):
            return math.ceil(len(text.encode()) / _BYTES)
        case Image(detail="low"):
            return _PICTURE_TOKENS
        case LazyImage(size=(width, height)):
            return picture_tokens(width, height, picture)
        case Image(data):
            return picture_tokens(*_size(data), picture)


def _size(data: bytes) -> tuple[int, int]:
    try:
        with Picture.open(BytesIO(data)) as opened:
            return opened.size
    except PIL.UnidentifiedImageError:
        return _UNREADABLE
