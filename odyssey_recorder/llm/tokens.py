"""Estimates the tokens of a question: by a rule of thumb for text, by the vendors' rules for images."""

import json
import math
from io import BytesIO

import PIL.Image

from odyssey_recorder.llm.model import LONGEST_ANSWER, Image, LazyImage, ModelRequest, Part, Usage, Words
from odyssey_recorder.llm.prices import ModelFacts

USUAL_ANSWER = 200

_BYTES = 4
"""UTF-8 bytes per token: four letters of English, little more than one character of Chinese."""
_MESSAGE = 4
_TILE, _TILE_TOKENS, _IMAGE_TOKENS = 512, 170, 85
_LONG_SIDE, _SHORT_SIDE = 2048, 768
_PATCH = 32
_UNREADABLE = (_LONG_SIDE, _SHORT_SIDE)


def estimated_usage(question: ModelRequest, model: ModelFacts, usual_answer: int = USUAL_ANSWER) -> Usage:
    """The estimate for a question with a usual answer, or the longest one it allows if that is shorter."""
    words = len(json.dumps([dict(question.schema), *question.tools])) // _BYTES
    tokens_in = words + _MESSAGE * len(question.messages)
    tokens_in += sum(_of_part(part, model) for message in question.messages for part in message.parts)
    longest = question.parameters.get(LONGEST_ANSWER)
    return Usage(tokens_in, min(usual_answer, longest) if isinstance(longest, int) else usual_answer)


def image_tokens(width: int, height: int, model: ModelFacts) -> int:
    """For an image of this size in pixels at detail "high"."""
    if model.images == "patches":
        return math.ceil(model.patch_factor * _patches(width, height, model.patches_at_most))
    fit = min(1.0, _LONG_SIDE / max(width, height))
    fit *= min(1.0, _SHORT_SIDE / (fit * min(width, height)))
    tiles = math.ceil(width * fit / _TILE) * math.ceil(height * fit / _TILE)
    return _IMAGE_TOKENS + _TILE_TOKENS * tiles


def _patches(width: int, height: int, at_most: int | None) -> int:
    """By OpenAI's guide to images: made smaller until whole patches fit in one direction."""
    wide, high = width / _PATCH, height / _PATCH
    if at_most is not None and math.ceil(wide) * math.ceil(high) > at_most:
        fit = math.sqrt(at_most / (wide * high))
        fit *= min(max(1, math.floor(side * fit)) / (side * fit) for side in (wide, high))
        wide, high = round(wide * fit, 6), round(high * fit, 6)
    return math.ceil(wide) * math.ceil(high)


def _of_part(part: Part, model: ModelFacts) -> int:
    match part:
        case Words(text):
            return math.ceil(len(text.encode()) / _BYTES)
        case LazyImage(size=(width, height)):
            return image_tokens(width, height, model)
        case Image(data):
            return image_tokens(*_size(data), model)


def _size(data: bytes) -> tuple[int, int]:
    try:
        with PIL.Image.open(BytesIO(data)) as opened:
            return opened.size
    except PIL.UnidentifiedImageError:
        return _UNREADABLE
