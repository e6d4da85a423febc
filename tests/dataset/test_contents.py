from itertools import starmap

from hypothesis import given

from odyssey_recorder.dataset.codec import Dialect, decode, encode
from odyssey_recorder.dataset.contents import StepRow, read_contents
from odyssey_recorder.errors import InvalidEpisodeError
from odyssey_recorder.model.action import Click, LongPress, Scroll, action_type
from odyssey_recorder.model.episode import Episode
from tests.episodes import ID, episodes, mutated_files


def assert_same_as_codec(data: bytes, episode: Episode) -> None:
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
            case _:
                assert one.x is None


@given(episodes())
def test_episode_is_read_as_by_the_codec(episode: Episode) -> None:
    for dialect in Dialect:
        assert_same_as_codec(encode(episode, dialect), episode)


@given(mutated_files())
def test_file_that_the_codec_rejects_has_a_problem(data: bytes) -> None:
    try:
        episode = decode(data, source="it")
    except InvalidEpisodeError:
        assert read_contents(data, ID).problem
    else:
        assert_same_as_codec(data, episode)
