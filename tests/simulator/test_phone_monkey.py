"""Random touches: nothing breaks, nothing leaves the screen, and the result is deterministic."""

import hashlib
import random

import pytest

from odyssey_recorder.simulator.phone import Rect
from tests.simulator.person import Person, person_with

KEYS = (4, 4, 3, 187, 66, 67, 279)
TEXTS = ("abc", "hello world\n", "12:30", "x" * 50)


def play(person: Person, rng: random.Random, steps: int) -> None:
    """Random steps; raises what an app raises."""
    for _ in range(steps):
        kind = rng.random()
        if kind < 0.65:
            person.tap_at(*rng.choice([node for node in person.nodes if node.clickable]).bounds.center)
        elif kind < 0.8:
            person.swipe(somewhere(person, rng), somewhere(person, rng), steps=3)
        elif kind < 0.87:
            person.type(rng.choice(TEXTS))
        elif kind < 0.95:
            person.phone.press_key(rng.choice(KEYS))
        else:
            person.phone.start_activity(rng.choice(person.phone.packages()).package)
        assert_nothing_leaves_the_screen(person)


def somewhere(person: Person, rng: random.Random) -> tuple[float, float]:
    size = person.phone.state().size
    return rng.uniform(0, size.width), rng.uniform(0, size.height)


def assert_nothing_leaves_the_screen(person: Person) -> None:
    size = person.phone.state().size
    whole = Rect(0, 0, size.width, size.height)
    for node in person.nodes:
        assert whole.covers(node.bounds), node
        assert not node.bounds.is_empty, node


def digest(person: Person) -> str:
    return hashlib.sha256(person.phone.screen().rgba).hexdigest()


@pytest.mark.parametrize("seed", range(3))
def test_touching_everything_breaks_nothing(seed: int) -> None:
    with person_with("small_phone", seed=seed) as person:
        play(person, random.Random(seed), 70)

        assert person.phone.screen().number > 20


@pytest.mark.parametrize("rotation", [0, 1])
def test_touching_everything_on_a_folded_phone_breaks_nothing(rotation: int) -> None:
    with person_with("pixel_fold") as person:
        person.phone.set_posture("CLOSED")
        person.phone.set_rotation(rotation)
        play(person, random.Random(7), 40)

        assert person.phone.screen().number > 10


def test_two_phones_touched_alike_show_the_same_in_the_end() -> None:
    with person_with() as one, person_with() as other:
        for person in (one, other):
            play(person, random.Random(11), 60)

        assert digest(one) == digest(other)
        assert one.words == other.words


def test_a_snapshot_undoes_whatever_was_touched_after_it(person: Person) -> None:
    play(person, random.Random(5), 40)
    snapshot, shown = person.phone.save_snapshot(), digest(person)
    assert digest(person) == shown
    play(person, random.Random(6), 40)
    assert digest(person) != shown
    person.phone.load_snapshot(snapshot)

    assert digest(person) == shown
