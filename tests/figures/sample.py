"""Episodes as in the second release, drawn from a seed."""

from datetime import date, timedelta
from random import Random

from odyssey_recorder.figures.episodes import CountedEpisode
from odyssey_recorder.model.geometry import Point, Size

V2_CATEGORIES = {
    "General_Tool": 22, "Multi_Apps": 21, "Information_Management": 17, "Social_Sharing": 16,
    "Media_Entertainment": 13, "Web_Shopping": 11,
}  # fmt: skip
SIZES = {
    "Pixel 7 Pro": Size(1440, 3120), "Pixel 8 Pro": Size(1344, 2992), "Pixel Fold": Size(2208, 1840),
    "Pixel Tablet": Size(2560, 1600), "Small Phone": Size(720, 1280), "Medium Phone": Size(1080, 2400),
}  # fmt: skip
MIDDLE = ("CLICK",) * 14 + ("TYPE", "TYPE", "SCROLL", "SCROLL", "HOME", "BACK", "RECENT", "LONG_PRESS")


def episodes(count: int, apps: list[str], seed: int = 0) -> list[CountedEpisode]:
    random = Random(seed)
    popular = [1 / (rank + 3) for rank in range(len(apps))]
    return [_episode(number, random, apps, popular) for number in range(count)]


def _episode(number: int, random: Random, apps: list[str], popular: list[float]) -> CountedEpisode:
    category = random.choices(list(V2_CATEGORIES), list(V2_CATEGORIES.values()))[0]
    device = random.choice(list(SIZES))
    length = max(3, round(random.gauss(15.3, 5)))
    actions = (*random.choices(MIDDLE, k=length - 1), "IMPOSSIBLE" if random.random() < 0.057 else "COMPLETE")
    clicks = sum(action in ("CLICK", "LONG_PRESS") for action in actions)
    return CountedEpisode(
        f"{number:016}",
        category,
        f"Template {number % 91} of {category}",
        " ".join(["word"] * random.randint(8, 40)),
        tuple(random.choices(apps, popular, k=random.randint(1, 4))),
        device,
        SIZES[device],
        actions,
        tuple(Point(round(random.gauss(500, 200)), random.randint(0, 1000)) for _ in range(clicks)),
        random.choice(["Ada", "Ben", "Chloe"]),
        date(2026, 9, 1) + timedelta(days=random.randint(0, 60)),
        {kind: "test" if random.random() < 0.2 else "train" for kind in ("random", "device")},
    )
