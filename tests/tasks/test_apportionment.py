from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as some

from odyssey_recorder.tasks.generation.supply import Apportionment

shares = some.dictionaries(some.sampled_from("abcdef"), some.integers(1, 9).map(float), min_size=1)


def serve_many(apportionment: Apportionment[str], count: int) -> list[str]:
    made = []
    for _ in range(count):
        made.append(apportionment.first)
        apportionment.serve()
    return made


@given(shares, some.integers(1, 200), some.integers())
def test_served_counts_stay_close_to_the_shares(shares: dict[str, float], count: int, seed: int) -> None:
    made = Counter(serve_many(Apportionment(shares, {}, Random(seed)), count))
    for thing, share in shares.items():
        assert abs(made[thing] - count * share / sum(shares.values())) < 1 + len(shares) / 2


def test_small_share_is_first_served_halfway_through_its_period() -> None:
    assert serve_many(Apportionment({"a": 9.0, "b": 1.0}, {}, Random(1)), 12).index("b") in (4, 5)


def test_order_of_equal_shares_depends_on_the_seed() -> None:
    def order(seed: int) -> list[str]:
        return serve_many(Apportionment(dict.fromkeys("abcdef", 1.0), {}, Random(seed)), 18)

    rounds = [order(1)[first : first + 6] for first in (0, 6, 12)]
    assert [sorted(some) for some in rounds] == [list("abcdef")] * 3
    assert rounds[0] != rounds[1] != rounds[2]
    assert order(1) == order(1) != order(2)


def test_excluded_item_keeps_its_turn() -> None:
    apportionment = Apportionment(dict.fromkeys("ab", 1.0), {"b": 5}, Random(1))
    assert apportionment.take(unless="a") == "b"
    assert apportionment.take() == "a"
    assert apportionment.take(unless="ab") is None
    assert len(apportionment) == 2
