"""Plain JSON is read as every reader does. The refusals are in test_codec_refusals."""

import json
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.dataset.plain_json import NotPlainJsonError, parse, shown
from odyssey_recorder.model.episode import Json
from tests.episodes import json_values


@given(json_values)
def test_plain_json_is_read_as_it_was_meant(value: Json) -> None:
    assert parse(json.dumps(value)) == parse(json.dumps(value, ensure_ascii=False).encode()) == value


@given(st.text('[]{}",:0123456789.eE-+NaInfitytrulsd\\u ') | st.text() | st.binary())
def test_what_is_read_of_any_text_can_be_written_back(data: str | bytes) -> None:
    with suppress(NotPlainJsonError):
        value = parse(data)
        assert parse(json.dumps(value, allow_nan=False, ensure_ascii=False).encode()) == value


@given(st.text() | json_values)
def test_a_value_is_shown_short_and_without_control_characters(value: Json) -> None:
    assert shown(value).isprintable()
    assert len(shown("x" * 1_000_000)) < 100
