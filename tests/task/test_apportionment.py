from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as some

from odyssey_recorder.task.generation.supply import Apportionment

shares = some.dictionaries(some.sampled_from("abcdef"), some.integers(1, 9).map(float), min_size=1)


def served(rotation: Apportionment[str], count: int) -> list[str]:
    made = []
    for _ in range(count):
        made.append(rotation.first)
        rotation.serve()
    return made


@given(shares, some.integers(1, 200), some.integers())
def test_after_every_turn_each_has_its_share_but_for_one(shares: dict[str, float], count: int, seed: int) -> None:
    made = Counter(served(Apportionment(shares, {}, Random(seed)), count))
    for thing, share in shares.items():
        assert abs(made[thing] - count * share / sum(shares.values())) < 1 + len(shares) / 2


def test_who_has_a_small_share_waits_for_half_of_its_time() -> None:
    assert served(Apportionment({"a": 9.0, "b": 1.0}, {}, Random(1)), 12).index("b") in (4, 5)


def test_what_each_came_before_counts() -> None:
    rotation = Apportionment(dict.fromkeys("abc", 1.0), {"a": 3, "b": 1}, Random(1))
    assert Counter(served(rotation, 5)) == {"c": 3, "b": 2}


def test_of_those_with_the_same_share_any_is_first_but_the_same_for_the_same_seed() -> None:
    def order(seed: int) -> list[str]:
        return served(Apportionment(dict.fromkeys("abcdef", 1.0), {}, Random(seed)), 18)

    rounds = [order(1)[first : first + 6] for first in (0, 6, 12)]
    assert [sorted(some) for some in rounds] == [list("abcdef")] * 3
    assert rounds[0] != rounds[1] != rounds[2]
    assert order(1) == order(1) != order(2)


def test_who_drops_out_leaves_its_share_to_the_others() -> None:
    rotation = Apportionment({"a": 2.0, "b": 1.0}, {}, Random(1))
    while rotation.first != "a":
        rotation.serve()
    rotation.drop()
    assert served(rotation, 3) == ["b", "b", "b"]
    rotation.drop()
    assert len(rotation) == 0


def test_one_may_be_passed_over_without_losing_its_turn() -> None:
    rotation = Apportionment(dict.fromkeys("ab", 1.0), {"b": 5}, Random(1))
    assert rotation.take(unless="a") == "b"
    assert rotation.take() == "a"
    assert rotation.take(unless="ab") is None
    assert len(rotation) == 2
