"""Cost of drawing the four splits of a dataset of the released size, and of their leak report, relative to one look at
every task and instruction.
"""

from benchmarks.across import EPISODES, generated
from benchmarks.figure import Figure, in_turn
from odyssey_recorder.splits.drawing import DrawRules, draw
from odyssey_recorder.splits.episodes import SplitEpisode, app_key, words_of
from odyssey_recorder.splits.leaks import leak_report

_CLASSES = {app_key(f"App {number}"): f"Class {number % 25}" for number in range(212)}
_ROUNDS = 5


def measure() -> list[Figure]:
    facts = [
        SplitEpisode(
            one.episode_id, one.category, one.device, one.apps, one.meta_task, one.task, one.instruction, one.annotator,
            contents=one.episode_id,
        )
        for one in generated(EPISODES)
    ]  # fmt: skip
    splits = [one.split for one in draw(facts, DrawRules(), _CLASSES).drawn.values()]
    drawing, report, looking = in_turn(
        [
            lambda: draw(facts, DrawRules(), _CLASSES),
            lambda: leak_report(splits, facts),
            lambda: [(words_of(one.task), words_of(one.instruction)) for one in facts],
        ],
        rounds=_ROUNDS,
    )
    floor = "their words alone", looking
    return [
        Figure(f"the 4 splits of {EPISODES:,} episodes", drawing, "ms", *floor, "<= 10"),
        Figure("their leak report", report, "ms", *floor, "<= 40"),
    ]


if __name__ == "__main__":
    for figure in measure():
        print(figure.name, figure.shown, figure.floor_shown, figure.ratio_shown)
