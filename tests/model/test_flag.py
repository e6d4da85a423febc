import pytest
from pydantic import TypeAdapter, ValidationError

from odyssey_recorder.dataset.provenance import StoredFlag, flags_json
from odyssey_recorder.model.flag import Flag, FlagCode, describe_flag
from tests.model.flags import FLAGS

STORED: TypeAdapter[Flag] = TypeAdapter(StoredFlag)


@pytest.mark.parametrize("flag", FLAGS, ids=lambda flag: flag.code.value)
def test_flag_round_trips(flag: Flag) -> None:
    [stored] = flags_json([flag])
    assert STORED.validate_python(stored) == flag
    assert STORED.validate_json(STORED.dump_json(flag)) == flag


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ({"code": "screen_locked", "since_s": 3}, "screen locked, 3"),
        ({"code": "older", "age_s": 3}, "the screenshot is 3.0 s older than the touch"),
    ],
)
def test_unknown_flag_keeps_its_text(stored: object, text: str) -> None:
    assert describe_flag(STORED.validate_python(stored)) == text


@pytest.mark.parametrize(
    "stored", [{"code": "older"}, {"code": "older", "age_s": "3"}, {"code": "older", "age_s": 10**400}, {}, 7, "a text"]
)
def test_flag_without_its_values_is_rejected(stored: object) -> None:
    with pytest.raises(ValidationError):
        STORED.validate_python(stored)


def test_every_flag_has_its_own_text() -> None:
    texts = {describe_flag(flag): flag.code for flag in FLAGS}
    assert texts["the screen was rotated: the screenshot is 1x2, device_info says 2x1"] is FlagCode.TURNED
    assert texts["something else acted on the device: a touch at (360, 640), 10:22:03.1 UTC"] is FlagCode.FOREIGN_INPUT
    assert len(texts) == len(FlagCode)
