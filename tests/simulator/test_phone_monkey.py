"""Random touches: nothing breaks, nothing leaves the screen, and the result is deterministic."""

import random

import pytest

from tests.simulator.person import Person, digest, is_all_on_screen, person_with

KEYS = (4, 4, 3, 187, 66, 67, 279)
TEXTS = ("abc", "hello world\n", "12:30", "x" * 50)


def play_random_steps(person: Person, rng: random.Random, steps: int) -> None:
    """Random steps; raises what an app raises."""
    for _ in range(steps):
        kind = rng.random()
        if kind < 0.65:
            person.tap_at(*rng.choice([node for node in person.nodes if node.clickable]).bounds.center)
        elif kind < 0.8:
            person.swipe(random_point(person, rng), random_point(person, rng), steps=3)
        elif kind < 0.87:
            person.type(rng.choice(TEXTS))
        elif kind < 0.95:
            person.phone.press_key(rng.choice(KEYS))
        else:
            person.phone.start_activity(rng.choice(person.phone.packages()).package)
        assert is_all_on_screen(person)


def random_point(person: Person, rng: random.Random) -> tuple[float, float]:
    size = person.phone.state().size
    return rng.uniform(0, size.width), rng.uniform(0, size.height)


@pytest.mark.parametrize(
    ("rotation", "steps"), [pytest.param(1, 20, id="short"), pytest.param(0, 300, id="long", marks=pytest.mark.soak)]
)
def test_random_input_on_a_folded_phone_breaks_nothing(rotation: int, steps: int) -> None:
    with person_with("pixel_fold") as person:
        person.phone.set_posture("CLOSED")
        person.phone.set_rotation(rotation)
        play_random_steps(person, random.Random(7), steps)
        assert person.phone.screen().number > 10


def test_same_input_gives_the_same_screen() -> None:
    with person_with() as one, person_with() as other:
        for person in (one, other):
            play_random_steps(person, random.Random(11), 30)
        shown, texts = digest(one.phone), one.words
        assert (shown, texts) == (digest(other.phone), other.words)

        snapshot = one.phone.save_snapshot()
        play_random_steps(one, random.Random(6), 15)
        assert digest(one.phone) != shown
        one.phone.load_snapshot(snapshot)
        assert digest(one.phone) == shown
