"""Cost of scoring the steps of a dataset of the released size, relative to the same rules one step at a time, and of
reading the predictions, relative to parsing their JSON.
"""

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np

from benchmarks.figure import Figure, medians_in_turn
from odyssey_recorder.evaluation.gold import Gold, GoldEpisode, gold_of
from odyssey_recorder.evaluation.intervals import SAMPLES, ratios
from odyssey_recorder.evaluation.loading import load
from odyssey_recorder.evaluation.placement import place
from odyssey_recorder.evaluation.protocols import OFFICIAL
from odyssey_recorder.evaluation.scores import Placed, figures, score
from tests.evaluation.reference_rules import verdict
from tests.evaluation.sample_pairs import Pair

STEPS, LENGTH, EPISODES = 127_893, 15, 1667
_ROUNDS = 3


def measure() -> list[Figure]:
    pairs = _pairs()
    gold = _gold(pairs)
    said = [one for _, one, _ in pairs]
    everything, nothing = np.arange(STEPS), np.zeros(0, np.int64)
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "predictions.json"
        data = _official(gold, said)
        file.write_text(data)
        columns, plain, parsed, read = medians_in_turn(
            [
                lambda: _cpu(lambda: figures(score(gold, Placed(everything, said, nothing, nothing), OFFICIAL))),
                lambda: _cpu(lambda: [verdict(*one) for one in pairs]),  # type: ignore[arg-type]
                lambda: _cpu(lambda: json.loads(data)),
                lambda: _cpu(lambda: figures(score(gold, place(gold, load(file))[0], OFFICIAL))),
            ],
            rounds=_ROUNDS,
        )
    counts = np.full(EPISODES, LENGTH)
    right = np.random.default_rng(1).binomial(counts, 0.7)
    drawn = _cpu(lambda: ratios([(right, counts), (right + 1, counts)]))
    return [
        Figure(f"{STEPS:,} steps scored in memory, CPU", columns, "ms", "one by one", plain, "<= 0.1"),
        Figure(f"{STEPS:,} steps read and scored, CPU", read, "ms", "json.loads", parsed, "<= 2"),
        Figure(f"{SAMPLES:,} samples of {EPISODES:,} episodes, CPU", drawn, "ms", goal="<= 5,000"),
    ]


def _cpu(call: Callable[[], object]) -> float:
    """Milliseconds."""
    started = time.process_time()
    call()
    return 1000 * (time.process_time() - started)


def _pairs() -> list[Pair]:
    """Actions as frequent as in the second release; three quarters are predicted about right."""
    random = Random(1)
    return [_pair(random) for _ in range(STEPS)]


def _pair(random: Random) -> Pair:
    kind = random.choices(("CLICK", "TYPE", "SCROLL", "PRESS_HOME", "COMPLETE"), (66, 10, 10, 7, 7))[0]
    if kind == "CLICK":
        x, y = random.randint(0, 1000), random.randint(0, 1000)
        across, down = random.randint(-150, 150), random.randint(-150, 150)
        return f"CLICK: ({x}, {y})", f"CLICK: ({x + across}, {y + down})", [x - 40, y - 20, x + 40, y + 20]
    if kind == "TYPE":
        truth = "".join(random.choices("abcdefgh ", k=random.randint(5, 30)))
        return f"TYPE: {truth}", f"TYPE: {truth[:: random.choice((1, -1))]}", None
    if kind == "SCROLL":
        return "SCROLL: UP", f"SCROLL: {random.choice(('UP', 'DOWN'))}", None
    return kind, random.choice((kind, "PRESS_BACK")), None


def _gold(pairs: list[Pair]) -> Gold:
    steps = [(truth, box) for truth, _, box in pairs]
    parts = [steps[at : at + LENGTH] for at in range(0, STEPS, LENGTH)]
    heads = (
        GoldEpisode(f"{at:016}", f"Category {at % 6}", "Phone", (), "", len(part)) for at, part in enumerate(parts)
    )
    return gold_of(list(zip(heads, parts, strict=True)))


def _official(gold: Gold, said: list[object]) -> str:
    truths = gold.answers
    return json.dumps([
        {
            "question": f"Picture 1: <img>/data/screenshots/{row // LENGTH:016}_{row % LENGTH}.png</img>\n"
            "I'm looking for guidance on how to find a recipe and share it with a friend.\nPrevious Actions: None",
            "pred": answer,
            "gt": truths[row],
            "more_info": {"category": "Multi_Apps", "step_length": LENGTH, "sam2_bbox": [1, 2, 3, 4]},
        }
        for row, answer in enumerate(said)
    ])  # fmt: skip


if __name__ == "__main__":
    for figure in measure():
        print(figure.name, figure.shown, figure.floor_shown, figure.ratio_shown, figure.goal)
