"""The codec, the lenient reader and the reader of contents agree on which files are valid and what they contain."""

from contextlib import suppress
from itertools import starmap

from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.dataset.codec import Dialect, decode, encode
from odyssey_recorder.dataset.lenient import read_leniently
from odyssey_recorder.dataset.quick_reading import StepRow, read_contents
from odyssey_recorder.errors import InvalidEpisodeError
from odyssey_recorder.model.action import Click, LongPress, Scroll, Type, action_type
from odyssey_recorder.model.episode import Episode
from tests.dataset.test_codec_refusals import is_valid_or_rejected
from tests.episodes import ID, episodes, mutated_files


@given(episodes(), st.sampled_from(Dialect))
def test_valid_file_is_read_alike_in_both_dialects(written: Episode, dialect: Dialect) -> None:
    data = encode(written, dialect)
    assert decode(data, source="file") == written
    assert_contents(data, written)
    lenient = read_leniently(data, source="file")
    assert (lenient.breaches, lenient.strict) == ((), written)
    assert (lenient.device, lenient.task) == (written.device, written.task)
    assert [step.action for step in lenient.steps] == [step.action for step in written.steps]


def assert_contents(data: bytes, episode: Episode) -> None:
    read = read_contents(data, episode.episode_id)
    task = episode.task
    assert read.problem == ""
    assert (read.task.category, read.task.apps, read.task.instruction) == (task.category, task.apps, task.instruction)
    assert (read.device, read.width, read.height) == (
        episode.device.device_name, episode.device.size.width, episode.device.size.height,
    )  # fmt: skip
    rows = list(starmap(StepRow, read.steps))
    assert [one.action for one in rows] == [action_type(step.action) for step in episode.steps]
    for one, step in zip(rows, episode.steps, strict=True):
        match step.action:
            case Click(point) | LongPress(point):
                assert (one.x, one.y, one.end_x) == (point.x, point.y, None)
            case Scroll(start, end):
                assert (one.x, one.y, one.end_x, one.end_y) == (start.x, start.y, end.x, end.y)
            case Type(text):
                assert (one.x, one.text) == (None, text)
            case _:
                assert one.x is None


@given(mutated_files())
def test_mutated_file_is_valid_or_rejected_by_all(data: bytes) -> None:
    assert is_valid_or_rejected(data)
    read: Episode | None = None
    with suppress(InvalidEpisodeError):
        read = decode(data, source="file")
    if read is None:
        assert read_contents(data, ID).problem
    else:
        assert_contents(data, read)
    try:
        lenient = read_leniently(data, source="file")
    except InvalidEpisodeError:
        assert read is None
        return
    assert lenient.strict == read
    assert bool(lenient.breaches) == (read is None)
    assert all(breach.message.isprintable() and len(breach.message) < 400 for breach in lenient.breaches)
