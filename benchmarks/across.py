"""Cost of the checks across a whole dataset of the released size, and of a tenth of it."""

import hashlib
import random
import subprocess
import sys
from collections import deque
from collections.abc import Iterator

from benchmarks.figure import Figure, timed
from benchmarks.memory import peak_mb
from odyssey_recorder.checking.compared_episode import ComparedEpisodes, facts_as_json
from odyssey_recorder.checking.evidence import ComparedEpisode
from odyssey_recorder.checking.whole_dataset import check_episodes_together

EPISODES, IMAGES = 8_334, 127_893
TEMPLATES, ITEMS, COMMON_SCREENS = 91, 400, 60
_DEVICES = ("Small Phone", "Medium Phone", "Pixel 7 Pro", "Pixel 8 Pro", "Pixel Fold", "Pixel Tablet")
_CATEGORIES = 6


def measure() -> list[Figure]:
    tenth_s, tenth_mb = _measured(EPISODES // 10)
    all_s, all_mb = _measured(EPISODES)
    return [
        Figure(f"the checks of {EPISODES} episodes together", all_s, "s", "a tenth of them", tenth_s),
        Figure(f"most memory for {IMAGES} screenshots", all_mb, "MB", "a tenth of them", tenth_mb, "<= 1.5"),
    ]


def _measured(episodes: int) -> tuple[float, float]:
    command = [sys.executable, "-m", "benchmarks.across", str(episodes)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(told[0]), float(told[1])


def generated(episodes: int) -> Iterator[ComparedEpisode]:
    templates = [_sentence(random.Random(f"template {number}"), 11) for number in range(TEMPLATES)]
    for number in range(episodes):
        yield _episode(number, templates[number % TEMPLATES])


def _episode(number: int, template: str) -> ComparedEpisode:
    chance = random.Random(number)
    steps = IMAGES * (number + 1) // EPISODES - IMAGES * number // EPISODES
    item = _sentence(random.Random(f"item {chance.randrange(ITEMS)}"), 3)
    screenshots = [_image(number, step, chance) for step in range(steps)]
    return ComparedEpisode(
        episode_id=f"{number:016}",
        category=f"Category {number % _CATEGORIES}",
        device=_DEVICES[number // TEMPLATES % len(_DEVICES)],
        annotator=f"Annotator {chance.randrange(12)}",
        apps=(f"App {chance.randrange(212)}", f"App {chance.randrange(212)}"),
        meta_task=f"{template} {{}}.",
        task=f"{template} {item}.",
        instruction=f"Use an app to {template}, which is {item}, and note it.",
        actions=tuple(f"CLICK {chance.randrange(1001)}, {chance.randrange(1001)}" for _ in screenshots),
        screenshots=tuple(hashlib.sha256(image.encode()).hexdigest() for image in screenshots),
        looks=tuple(hash_of_look(image) for image in screenshots),
    )


def _image(number: int, step: int, chance: random.Random) -> str:
    """A screen's name; one in eight is shared by many episodes."""
    return f"common {chance.randrange(COMMON_SCREENS)}" if chance.random() < 0.125 else f"{number} {step}"


def hash_of_look(image: str) -> int:
    """64 bits that look like a difference hash."""
    return int.from_bytes(hashlib.blake2b(image.encode(), digest_size=8).digest())


def _sentence(chance: random.Random, words: int) -> str:
    return " ".join(f"word{chance.randrange(3000)}" for _ in range(words))


def _run(episodes: int) -> None:
    shelf = ComparedEpisodes()
    for facts in generated(episodes):
        shelf.put(facts.episode_id, facts_as_json(facts))
    seconds = timed(lambda: deque(check_episodes_together(shelf), maxlen=0)) / 1000
    print(seconds, peak_mb())


if __name__ == "__main__":
    _run(int(sys.argv[1]))
