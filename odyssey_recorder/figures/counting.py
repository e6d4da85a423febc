"""The seventeen figures of a dataset. Each function takes the episodes and returns one figure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, quantiles

from odyssey_recorder.figures.episodes import CountedEpisode
from odyssey_recorder.figures.figure import (
    BarMark,
    Bars,
    Boxes,
    Cell,
    Columns,
    CountGrid,
    Figure,
    Panel,
    Spread,
    TextTable,
)
from odyssey_recorder.figures.published import PublishedFigures
from odyssey_recorder.model.geometry import GRID, Point, Size
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.tasks.templates.template import OTHER

TOP = 30
IN_MATRIX = 40
HEAT = 50
"""Cells of a heat map in each direction."""
_BINS = 30
_ACTIONS = ("CLICK", "LONG_PRESS", "SCROLL", "TYPE", "HOME", "BACK", "RECENT", "COMPLETE", "IMPOSSIBLE")
_AS_PUBLISHED = {
    "CLICK": "CLICK, HOME, BACK, RECENT", "HOME": "CLICK, HOME, BACK, RECENT", "BACK": "CLICK, HOME, BACK, RECENT",
    "RECENT": "CLICK, HOME, BACK, RECENT",
}  # fmt: skip
"""The released files spell system keys as clicks."""

Episodes = Sequence[CountedEpisode]


@dataclass(frozen=True, slots=True)
class Against:
    """What the figures are compared with, and the class of each app, empty if it is not known."""

    published: PublishedFigures
    class_of: Callable[[str], str]


def all_figures(episodes: Episodes, against: Against) -> list[Figure]:
    """In the order of the report. An empty dataset has empty figures."""
    return [count(episodes, against) for count in _FIGURES]


def term(key: str, value: str) -> str:
    """One term of the filter language, with the value quoted."""
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{key}:"{quoted}"'


def mean_steps(episodes: Episodes) -> float:
    return fmean(len(episode.actions) for episode in episodes) if episodes else 0.0


def headline(episodes: Episodes, against: Against) -> Figure:
    apps = {app for episode in episodes for app in episode.apps}
    combos = Counter(episode.combination for episode in episodes)
    classes = {against.class_of(app) or OTHER for app in apps}
    impossible = sum("IMPOSSIBLE" in episode.actions for episode in episodes)
    ours: Mapping[str, Cell] = {
        "Episodes": len(episodes),
        "Steps": sum(len(episode.actions) for episode in episodes),
        "Steps per episode": round(mean_steps(episodes), 1),
        "Instructions": len({episode.instruction for episode in episodes}),
        "Apps": len(apps),
        "App combinations": len(combos),
        "App combinations of 2 or more": sum(len(combo) > 1 for combo in combos),
        "App classes": len(classes),
        "Templates": len({episode.meta_task for episode in episodes}),
        "Devices": len({episode.device for episode in episodes}),
        "Impossible": impossible,
    }
    other = against.published
    rows = tuple((name, value, other.headline.get(name)) for name, value in ours.items())
    compared = TextTable("", ("", "this dataset", other.name), rows)
    tables = (compared,) if other.elsewhere is None else (compared, other.elsewhere)
    return Figure("headline", "At a glance", tables, "A combination is the set of an episode's different apps.")


def categories(episodes: Episodes, against: Against) -> Figure:
    kind = _Kind("categories", "category", _by("category"))
    bars = _bars(kind, Counter(episode.category for episode in episodes), against, len(episodes))
    return Figure("categories", "Categories", (bars,))


def devices(episodes: Episodes, against: Against) -> Figure:
    kind = _Kind("devices", "device", _by("device"))
    bars = _bars(kind, Counter(episode.device for episode in episodes), against, len(episodes))
    return Figure("devices", "Devices", (bars,))


def lengths(episodes: Episodes, against: Against) -> Figure:
    values = [len(episode.actions) for episode in episodes]
    lines = [("mean", mean_steps(episodes))] if values else []
    if (published := against.published.means.get("lengths")) is not None:
        lines.append((against.published.name, published))
    return Figure("lengths", "Episode length", (_histogram(values, ("steps", "steps"), tuple(lines)),))


def lengths_by_category(episodes: Episodes, _: Against) -> Figure:
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for episode in episodes:
        groups[episode.category].append(len(episode.actions))
    spreads = tuple(_spread(name, values, term("category", name)) for name, values in sorted(groups.items()))
    return Figure(
        "lengths-by-category",
        "Episode length by category",
        (Boxes("", "category", "steps", spreads),),
        "Boxes from the 25th to the 75th percentile with the median; whiskers from the 5th to the 95th.",
    )


def apps(episodes: Episodes, against: Against) -> Figure:
    used = Counter(app for episode in episodes for app in set(episode.apps))
    bars = _bars(_Kind("apps", "app", _by("app"), most=TOP), used, against, len(episodes))
    ranked = tuple(BarMark(str(rank), count) for rank, (_, count) in enumerate(used.most_common(), start=1))
    curve = Columns("All apps by rank", "rank", "episodes", 1, 1, ranked, is_log=True)
    return Figure("apps", "Apps", (bars, curve), "An episode counts once for each of its apps.")


def app_combinations(episodes: Episodes, against: Against) -> Figure:
    used = Counter(episode.combination for episode in episodes if len(episode.combination) > 1)
    filters = {" + ".join(combo): " ".join(term("app", app) for app in combo) for combo in used}
    counts = Counter({" + ".join(combo): count for combo, count in used.items()})
    bars = _bars(_Kind("combinations", "apps", filters.__getitem__, most=TOP), counts, against, len(episodes))
    alone = sum(len(episode.combination) == 1 for episode in episodes)
    return Figure(
        "combinations", "App combinations", (bars,), f"Left out: {counted(alone, 'episodes')} with a single app."
    )


def app_pairs(episodes: Episodes, _: Against) -> Figure:
    used = Counter(app for episode in episodes for app in set(episode.apps))
    names = tuple(app for app, _ in used.most_common(IN_MATRIX))
    pairs = Counter(pair for episode in episodes for pair in combinations(episode.combination, 2))
    counts = tuple(
        tuple(0 if row == column else pairs[min(row, column), max(row, column)] for column in names) for row in names
    )
    filters = tuple(tuple(f"{term('app', row)} {term('app', column)}" for column in names) for row in names)
    return Figure("pairs", "Apps used together", (CountGrid("", "episodes", names, names, counts, "dots", filters),))


def app_classes(episodes: Episodes, against: Against) -> Figure:
    names = Counter(name for episode in episodes for name in {against.class_of(app) or OTHER for app in episode.apps})
    bars = [_bars(_Kind("classes", "class"), names, against, len(episodes))]
    unknown = Counter(app for episode in episodes for app in set(episode.apps) if not against.class_of(app))
    if unknown:
        marks = tuple(BarMark(app, count, filter=term("app", app)) for app, count in unknown.most_common())
        bars.append(Bars("Apps without a class", "app", "episodes", len(episodes), marks))
    return Figure("classes", "App classes", tuple(bars), "An episode counts once for each class of its apps.")


def actions(episodes: Episodes, against: Against) -> Figure:
    of_category: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for episode in episodes:
        of_category[episode.category].update(episode.actions)
    counts = sum(of_category.values(), Counter[str]())
    total = counts.total()
    panels: list[Panel] = []
    marks = [BarMark(name, counts[name]) for name in _ACTIONS if counts[name]]
    panels.append(Bars("All steps", "action", "steps", total, tuple(marks)))
    if against.published.shares.get("actions"):
        merged: Counter[str] = Counter()
        for name, count in counts.items():
            merged[_AS_PUBLISHED.get(name, name)] += count
        panels.append(_bars(_Kind("actions", "action", unit="steps"), merged, against, total))
    rows = tuple(sorted(of_category))
    cells = tuple(tuple(of_category[row][name] for name in _ACTIONS) for row in rows)
    panels.append(CountGrid("By category", "steps", rows, _ACTIONS, cells, by_row=True))
    return Figure("actions", "Actions", tuple(panels))


def apps_per_episode(episodes: Episodes, _: Against) -> Figure:
    values = [len(episode.combination) for episode in episodes]
    return Figure("apps-per-episode", "Different apps per episode", (_histogram(values, ("apps", "")),))


def instruction_words(episodes: Episodes, _: Against) -> Figure:
    values = [len(episode.instruction.split()) for episode in episodes]
    return Figure("words", "Words per instruction", (_histogram(values, ("words", ""), _mean_line(values)),))


def resolutions(episodes: Episodes, against: Against) -> Figure:
    sizes = Counter(f"{episode.size} {_orientation(episode.size)}" for episode in episodes)
    return Figure("resolutions", "Screenshots", (_bars(_Kind("resolutions", "size"), sizes, against, len(episodes)),))


def presses(episodes: Episodes, _: Against) -> Figure:
    of_device: defaultdict[str, list[Point]] = defaultdict(list)
    sizes: dict[str, Counter[Size]] = defaultdict(Counter)
    for episode in episodes:
        of_device[episode.device] += episode.presses
        sizes[episode.device][episode.size] += 1
    panels = tuple(
        _heat(device, points, sizes[device].most_common(1)[0][0]) for device, points in sorted(of_device.items())
    )
    return Figure("presses", "Where people press", panels, "Clicks and long presses; each map has its own scale.")


def endings(episodes: Episodes, _: Against) -> Figure:
    names = tuple(sorted({episode.category for episode in episodes}))
    counts = Counter((episode.category, episode.actions[-1] if episode.actions else "") for episode in episodes)
    ends = ("COMPLETE", "IMPOSSIBLE")
    cells = tuple(
        (*(counts[name, end] for end in ends), sum(count for (category, end), count in counts.items()
                                                   if category == name and end not in ends))
        for name in names
    )  # fmt: skip
    filters = tuple(
        (*(f"{term('category', name)} ending:{end.lower()}" for end in ends), term("category", name)) for name in names
    )
    grid = CountGrid("", "category", names, (*ends, "neither"), cells, filters=filters, by_row=True)
    return Figure("endings", "How episodes end", (grid,))


def days(episodes: Episodes, against: Against) -> Figure:
    dated = sorted(episode.day for episode in episodes if episode.day is not None)
    marks: tuple[BarMark, ...] = ()
    if dated:
        counts = Counter(dated)
        span = range(dated[0].toordinal(), dated[-1].toordinal() + 1)
        marks = tuple(
            BarMark(day.isoformat(), counts[day], f"recorded:{day.isoformat()}")
            for day in map(type(dated[0]).fromordinal, span)
        )
    people = Counter(episode.annotator for episode in episodes if episode.annotator)
    bars = _bars(_Kind("annotators", "annotator", _by("by")), people, against, len(episodes))
    undated = len(episodes) - len(dated)
    note = f"{counted(undated, 'episodes')} without provenance: no day." if undated else ""
    return Figure("days", "Recorded when, and by whom", (Columns("", "day", "episodes", 0, 1, marks), bars), note)


def sides(episodes: Episodes, _: Against) -> Figure:
    kinds = sorted({kind for episode in episodes for kind in episode.sides})
    rows = tuple(f"{kind}/{side}" for kind in kinds for side in ("train", "test"))
    categories = tuple(sorted({episode.category for episode in episodes}))
    names = tuple(sorted({episode.device for episode in episodes}))
    by_category: Counter[tuple[str, str]] = Counter()
    by_device: Counter[tuple[str, str]] = Counter()
    for episode in episodes:
        for kind, side in episode.sides.items():
            by_category[f"{kind}/{side}", episode.category] += 1
            by_device[f"{kind}/{side}", episode.device] += 1
    panels = (
        _split_grid("By category", rows, ("category", categories), by_category),
        _split_grid("By device", rows, ("device", names), by_device),
    )
    return Figure("splits", "Splits", panels if rows else (), "" if rows else "This dataset has no splits.")


_FIGURES = (
    headline, categories, devices, lengths, lengths_by_category, apps, app_combinations, app_pairs, app_classes,
    actions, apps_per_episode, instruction_words, resolutions, presses, endings, days, sides,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Kind:
    """What bars count: the figure they belong to, what a bar is, and the filter that selects its episodes."""

    figure: str
    of: str
    select: Callable[[str], str] = lambda _: ""
    unit: str = "episodes"
    most: int | None = None


def _by(key: str) -> Callable[[str], str]:
    return lambda value: term(key, value)


def _bars(kind: _Kind, counts: Mapping[str, int], against: Against, total: int) -> Bars:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    marks = (
        BarMark(label, count, kind.select(label), against.published.share(kind.figure, label))
        for label, count in ordered[: kind.most]
    )
    title = "" if kind.most is None or len(counts) <= kind.most else f"The first {kind.most}"
    return Bars(title, kind.of, kind.unit, total, tuple(marks))


def _histogram(values: Sequence[int], names: tuple[str, str], lines: tuple[tuple[str, float], ...] = ()) -> Columns:
    """`names`: the axis, and the filter's key for a range on it, or empty."""
    of, key = names
    if not values:
        return Columns("", of, "episodes", 0, 1, ())
    first, last = min(values), max(values)
    step = max(1, -(-(last - first + 1) // _BINS))
    counts = Counter((value - first) // step for value in values)
    marks = []
    for number in range((last - first) // step + 1):
        start = first + number * step
        end = start + step - 1
        label = str(start) if step == 1 else f"{start}-{end}"
        marks.append(BarMark(label, counts[number], f"{key}:>={start} {key}:<={end}" if key else ""))
    return Columns("", of, "episodes", first, step, tuple(marks), lines)


def _mean_line(values: Sequence[int]) -> tuple[tuple[str, float], ...]:
    return (("mean", fmean(values)),) if values else ()


def _spread(label: str, values: Sequence[int], chosen: str) -> Spread:
    cuts = quantiles(values, n=20, method="inclusive") if len(values) > 1 else [float(values[0])] * 19
    return Spread(label, len(values), cuts[0], cuts[4], cuts[9], cuts[14], cuts[18], chosen)


def _heat(device: str, points: Iterable[Point], size: Size) -> CountGrid:
    def cell(at: int) -> int:
        return min(max(at, 0) * HEAT // GRID, HEAT - 1)

    counts = Counter((cell(point.y), cell(point.x)) for point in points)
    rows = tuple(tuple(counts[y, x] for x in range(HEAT)) for y in range(HEAT))
    names = ("",) * HEAT
    return CountGrid(
        f"{device}: {counts.total()}", "presses", names, names, rows, "screen", aspect=size.height / size.width
    )


def _orientation(size: Size) -> str:
    return "landscape" if size.width > size.height else "portrait"


def _split_grid(
    title: str, rows: tuple[str, ...], columns: tuple[str, tuple[str, ...]], counts: Counter[tuple[str, str]]
) -> CountGrid:
    key, names = columns
    cells = tuple(tuple(counts[row, name] for name in names) for row in rows)
    filters = tuple(tuple(f"split:{row} {term(key, name)}" for name in names) for row in rows)
    return CountGrid(title, "part", rows, names, cells, filters=filters, by_row=True)
