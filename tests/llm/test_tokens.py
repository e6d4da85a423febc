from dataclasses import replace
from io import BytesIO

import PIL.Image
import pytest

from odyssey_recorder.llm.model import ChatMessage, Image, ModelRequest, Words
from odyssey_recorder.llm.prices import ModelFacts
from odyssey_recorder.llm.tokens import USUAL_ANSWER, estimated_usage, image_tokens
from tests.llm.questions import question

TILES = ModelFacts(name="")


def png(width: int, height: int) -> bytes:
    file = BytesIO()
    PIL.Image.new("RGB", (width, height)).save(file, "PNG")
    return file.getvalue()


@pytest.mark.parametrize(
    ("size", "tokens"), [((1440, 3120), 1445), ((720, 1280), 1105), ((2560, 1600), 1105), ((2208, 1840), 765)]
)
def test_tile_tokens_match_the_documented_values(size: tuple[int, int], tokens: int) -> None:
    assert image_tokens(*size, TILES) == tokens


@pytest.mark.parametrize(
    ("size", "at_most", "tokens"),
    [
        ((320, 64), None, 24),
        ((1440, 3120), None, 5292),
        ((945, 2048), 2500, 2304),
        ((1440, 3120), 1536, 1779),
        ((1800, 2400), 1536, 1743),
    ],
)
def test_patches_are_32_pixels_wide_up_to_their_limit(size: tuple[int, int], at_most: int | None, tokens: int) -> None:
    assert image_tokens(*size, ModelFacts(name="", images="patches", patches_at_most=at_most)) == tokens


def tokens_of(request: ModelRequest) -> int:
    return estimated_usage(request, TILES).tokens_in


def test_four_characters_are_a_token() -> None:
    assert tokens_of(question("x" * 4400)) - tokens_of(question("x" * 400)) == 1000


def test_image_tokens_depend_on_the_size() -> None:
    def tokens(*parts: Words | Image) -> int:
        return tokens_of(replace(question(), messages=(ChatMessage("user", parts),)))

    words = Words("What is this?")
    plain = tokens(words)
    assert tokens(words, Image(png(1440, 3120))) - plain == 1445
    assert tokens(words, Image(b"no picture")) - plain > 85


def test_expected_answer_length_respects_its_limit() -> None:
    assert estimated_usage(question(), TILES).tokens_out == USUAL_ANSWER
    assert estimated_usage(question(), TILES, 900).tokens_out == 900
    assert estimated_usage(question(parameters={"max_completion_tokens": 60}), TILES).tokens_out == 60
    assert estimated_usage(question(parameters={"max_completion_tokens": 4_000}), TILES).tokens_out == USUAL_ANSWER
