"""A ready-made episode, and hypothesis strategies for all possible ones, and for damaged files."""

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from odyssey_recorder.dataset.codec import ANNOTATION_KEYS, annotations_of, encode
from odyssey_recorder.model.action import Action, Click, Complete, Impossible, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.episode import DeviceInfo, Episode, Json, Step, TaskInfo, screenshot_name
from odyssey_recorder.model.geometry import Point, Size

DATA = Path(__file__).parent / "data"
RELEASED = DATA / "episodes" / "v1v2_5342205429089853.json"
ID = "0006223132449496"

ALL_KINDS: tuple[Action, ...] = (
    Click(Point(719, 762)),
    Type("the weather in Beijing tomorrow"),
    Scroll(Point(563, 867), Point(527, 424), (Point(563, 867), Point(563, 864), Point(527, 424))),
    LongPress(Point(0, 1000)),
    Press(SystemKey.HOME),
    Press(SystemKey.BACK),
    Press(SystemKey.RECENT),
    Complete("It will rain."),
)


def episode(*actions: Action, episode_id: str = ID) -> Episode:
    """By default one action of each kind."""
    return Episode(
        episode_id=episode_id,
        device=DeviceInfo("Small Phone", Size(720, 1280), "sdk_gphone64_x86_64", "14", "34"),
        task=TaskInfo(
            category="Information_Management",
            apps=("Chrome", "Google Docs"),
            meta_task="Look up the weather in {}.",
            task="Look up the weather in Beijing.",
            instruction="Use Chrome to look up the weather in Beijing.",
        ),
        steps=tuple(
            Step(screenshot_name(episode_id, number), action) for number, action in enumerate(actions or ALL_KINDS)
        ),
    )


points = st.builds(Point, st.integers(0, 1000), st.integers(0, 1000))
texts = st.text(st.characters(codec="utf-8"), max_size=20)
ids = st.text("0123456789", min_size=16, max_size=16)
paths = st.lists(points, min_size=1, max_size=6).map(tuple)
actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(Click, points),
    st.builds(LongPress, points),
    st.builds(Scroll, points, points, paths),
    st.builds(Type, texts),
    st.builds(Press, st.sampled_from(SystemKey)),
)
endings: st.SearchStrategy[Action] = st.builds(Complete, texts) | st.builds(Impossible, texts)
json_values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
extras = st.dictionaries(texts.map("unknown {}".format), json_values, max_size=2)
annotations = st.dictionaries(
    st.sampled_from(ANNOTATION_KEYS), texts | json_values | st.lists(st.integers(0, 1000), max_size=5), max_size=2
).map(annotations_of)  # type: ignore[arg-type]
devices = st.builds(
    DeviceInfo,
    texts,
    st.builds(Size, st.integers(1, 65_535), st.integers(1, 65_535)),
    st.none() | texts,
    st.none() | texts,
    st.none() | texts,
    extras,
)
tasks = st.builds(TaskInfo, texts, st.lists(texts, max_size=3).map(tuple), texts, texts, texts, extras)


@st.composite
def episodes(draw: st.DrawFn) -> Episode:
    """Includes unknown keys on every level."""
    episode_id = draw(ids)
    done = [*draw(st.lists(actions, max_size=5)), draw(endings)]
    steps = tuple(
        Step(screenshot_name(episode_id, number), action, draw(annotations), extra=draw(extras))
        for number, action in enumerate(done)
    )
    return Episode(episode_id, draw(devices), draw(tasks), steps, draw(extras))


def _mutate(tree: Any, draw: st.DrawFn) -> Any:
    """`tree` with one value, on any level, replaced, removed or duplicated."""
    if isinstance(tree, dict | list) and tree and draw(st.integers(0, 5)):
        keys = list(tree) if isinstance(tree, dict) else list(range(len(tree)))
        key = draw(st.sampled_from(keys))
        match draw(st.sampled_from(["deeper", "deeper", "deeper", "drop", "double"])):
            case "drop":
                del tree[key]
            case "double" if isinstance(tree, list):
                tree.insert(key, tree[key])
            case _:
                tree[key] = _mutate(tree[key], draw)
        return tree
    plausible = [
        "CLICK", "SCROLL", "TEXT", "HOME", "KEY_HOME", "[(1, 2)]", ID, "", [], {}, [[1, 2]], 0, 11, None,
    ]  # fmt: skip
    return draw(st.sampled_from(plausible) | json_values)


@st.composite
def mutated_files(draw: st.DrawFn) -> bytes:
    tree = json.loads(draw(st.sampled_from([RELEASED.read_bytes(), encode(episode())]) | episodes().map(encode)))
    for _ in range(draw(st.integers(1, 3))):
        tree = _mutate(tree, draw)
    return json.dumps(tree).encode()
