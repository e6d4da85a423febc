"""How long an episode was looked at."""

from odyssey_recorder.gui.review.stopwatch import Stopwatch


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_it_counts_while_it_runs_and_rests_in_between() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    clock.now_s += 5
    assert watch.seconds == 0
    watch.run(on=True)
    clock.now_s += 7
    watch.run(on=True)
    watch.run(on=False)
    clock.now_s += 60
    assert watch.seconds == 7
    watch.run(on=True)
    clock.now_s += 1
    assert watch.seconds == 8


def test_another_episode_goes_on_from_what_was_counted_of_it() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    watch.run(on=True)
    clock.now_s += 9
    watch.set(20.0)
    clock.now_s += 3
    assert watch.seconds == 23
