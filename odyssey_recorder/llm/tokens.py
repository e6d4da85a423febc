"""Estimates the tokens of a question: by a rule of thumb for text, by the vendors' rules for images."""

import json
import math
from io import BytesIO

import PIL
from PIL import Image as Picture

from odyssey_recorder.llm.model import LONGEST_ANSWER, ChatMessage, Image, LazyImage, ModelRequest, Part, Usage, Words
from odyssey_recorder.llm.prices import PictureCount

USUAL_ANSWER = 200

_BYTES = 4
"""UTF-8 bytes per token: four letters of English, little more than one character of Chinese."""
_MESSAGE = 4
_TILE, _TILE_TOKENS, _PICTURE_TOKENS = 512, 170, 85
_LONG_SIDE, _SHORT_SIDE = 2048, 768
_PATCH, _PATCH_FACTOR = 32, 1.2
_UNREADABLE = (_LONG_SIDE, _SHORT_SIDE)


def estimated_usage(question: ModelRequest, picture: PictureCount, usual_answer: int = USUAL_ANSWER) -> Usage:
    """The estimate for a question with a usual answer, or the longest one it allows if that is shorter."""
    words = len(json.dumps(dict(question.schema))) // _BYTES
    tokens_in = words + sum(_of_message(message, picture) for message in question.messages)
    return Usage(tokens_in, min(usual_answer, int(question.parameters.get(LONGEST_ANSWER, usual_answer))))


def picture_tokens(width: int, height: int, picture: PictureCount) -> int:
    """For an image of this size in pixels at detail "high"."""
    if picture == "patches":
        return math.ceil(_PATCH_FACTOR * math.ceil(width / _PATCH) * math.ceil(height / _PATCH))
    fit = min(1.0, _LONG_SIDE / max(width, height))
    fit *= min(1.0, _SHORT_SIDE / (fit * min(width, height)))
    tiles = math.ceil(width * fit / _TILE) * math.ceil(height * fit / _TILE)
    return _PICTURE_TOKENS + _TILE_TOKENS * tiles


def _of_message(message: ChatMessage, picture: PictureCount) -> int:
    return _MESSAGE + sum(_of_part(part, picture) for part in message.parts)


def _of_part(part: Part, picture: PictureCount) -> int:
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
