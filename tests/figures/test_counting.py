"""The figures against an independent count of the same episodes."""

from collections import Counter
from collections.abc import Iterable
from datetime import date
from statistics import median
from typing import TypeVar

import pytest

from odyssey_recorder.figures.counting import Against, all_figures, mean_steps, term
from odyssey_recorder.figures.episodes import CountedEpisode
from odyssey_recorder.figures.figure import Bars, Boxes, Columns, CountGrid, Figure, Panel, TextTable
from odyssey_recorder.figures.published import V1, V2, PublishedFigures, published_of
from odyssey_recorder.model.geometry import Point, Size
from tests.figures.sample import episodes

APPS = ["Chrome", "Maps", "Notes", "Mail", "Clock", "Photos", "Files", "Music"]
CLASSES = {"Chrome": "Search", "Maps": "Maps", "Notes": "Notes"}
SAMPLE = episodes(400, APPS)
P = TypeVar("P", bound=Panel)
AGAINST = Against(V2, lambda app: CLASSES.get(app, "Other"))


@pytest.fixture(scope="module")
def figures() -> dict[str, Figure]:
    return {one.key: one for one in all_figures(SAMPLE, AGAINST)}


def panel(figure: Figure, kind: type[P], number: int = 0) -> P:
    found = figure.panels[number]
    assert isinstance(found, kind)
    return found


def bars(figure: Figure, number: int = 0) -> dict[str, float]:
    return {one.label: one.value for one in panel(figure, Bars, number).marks}


def assert_tables_are_rectangular(figures: Iterable[Figure]) -> None:
    for figure in figures:
        for one in figure.panels:
            head, rows = one.table()
            assert all(len(row) == len(head) for row in rows)


def test_all_seventeen_figures_have_tables(figures: dict[str, Figure]) -> None:
    assert len(figures) == 17
    assert all(one.table()[1] for figure in figures.values() for one in figure.panels)
    assert_tables_are_rectangular(figures.values())


def test_apps_without_a_class_are_listed_with_their_episodes() -> None:
    known = all_figures(SAMPLE, Against(V2, lambda app: "" if app == "Chrome" else "Other"))
    classes, unknown = next(one.panels for one in known if one.key == "classes")
    assert unknown.table()[1][0][:2] == ["Chrome", sum("Chrome" in one.apps for one in SAMPLE)]
    assert [row[0] for row in classes.table()[1]] == ["Other"]


def test_headline_counts_distinct_values(figures: dict[str, Figure]) -> None:
    listing = panel(figures["headline"], TextTable)
    ours = {row[0]: row[1] for row in listing.rows}
    assert ours["Episodes"] == 400
    assert ours["Steps"] == sum(len(one.actions) for one in SAMPLE)
    assert ours["App combinations"] == len({frozenset(one.apps) for one in SAMPLE})
    assert ours["Impossible"] == sum(one.actions[-1] == "IMPOSSIBLE" for one in SAMPLE)
    assert {row[0]: row[2] for row in listing.rows}["Episodes"] == 8334


def test_first_version_has_the_datasets_of_its_own_table() -> None:
    (figure, *_) = all_figures(SAMPLE, Against(V1, AGAINST.class_of))
    ours, theirs = (one for one in figure.panels if isinstance(one, TextTable))
    steps = {str(row[0]): row[3] for row in theirs.rows}
    assert steps == {"PixelHelp": "~ 4", "MoTIF": 4.5, "UGIF": 6.3, "Meta-GUI": 5.3, "AITW": 6.5, "Mind2Web": 7.3,
                     "AITZ": 7.5}  # fmt: skip
    assert theirs.rows[4] == ("AITW", 715142, 30378, 6.5, "Phone", 159, 7)
    assert {row[0]: row[2] for row in ours.rows}["Instructions"] == 7735


def test_bars_count_episodes_and_show_published_shares(figures: dict[str, Figure]) -> None:
    assert bars(figures["categories"]) == Counter(one.category for one in SAMPLE)
    assert bars(figures["apps"]) == Counter(app for one in SAMPLE for app in set(one.apps))
    assert bars(figures["combinations"]) == dict(
        sorted(
            Counter(" + ".join(sorted(set(one.apps))) for one in SAMPLE if len(set(one.apps)) > 1).items(),
            key=lambda one: (-one[1], one[0]),
        )[:30]
    )
    assert bars(figures["classes"])["Search"] == sum("Chrome" in one.apps for one in SAMPLE)
    categories = panel(figures["categories"], Bars)
    assert {one.label: one.published for one in categories.marks}["General_Tool"] == pytest.approx(0.22)


def test_histogram_counts_every_episode_in_the_bin_of_its_filter(figures: dict[str, Figure]) -> None:
    lengths = [len(one.actions) for one in SAMPLE]
    shown = panel(figures["lengths"], Columns)
    assert sum(one.value for one in shown.marks) == 400
    for mark in shown.marks:
        low, high = (int(word.split("=")[1]) for word in mark.filter.split())
        assert mark.value == sum(low <= length <= high for length in lengths)
    assert dict(shown.lines) == {"mean": mean_steps(SAMPLE), "v2": 15.346}


def test_boxes_show_the_median_of_their_category(figures: dict[str, Figure]) -> None:
    for one in panel(figures["lengths-by-category"], Boxes).spreads:
        values = [len(episode.actions) for episode in SAMPLE if episode.category == one.label]
        assert (one.n, one.median) == (len(values), median(values))
        assert min(values) <= one.low <= one.quarter <= one.median <= one.three_quarters <= one.high <= max(values)


def test_app_pairs_are_counted_without_self_pairs(figures: dict[str, Figure]) -> None:
    grid = panel(figures["pairs"], CountGrid)
    for y, row in enumerate(grid.rows):
        for x, column in enumerate(grid.columns):
            expected = 0 if row == column else sum({row, column} <= set(one.apps) for one in SAMPLE)
            assert grid.counts[y][x] == expected


def test_presses_are_counted_by_device_in_50_by_50_cells(figures: dict[str, Figure]) -> None:
    total = 0
    for number in range(len(figures["presses"].panels)):
        grid = panel(figures["presses"], CountGrid, number)
        assert (len(grid.rows), len(grid.columns)) == (50, 50)
        total += sum(map(sum, grid.counts))
    assert total == sum(len(one.presses) for one in SAMPLE)


def test_actions_are_compared_in_the_release_spelling(figures: dict[str, Figure]) -> None:
    steps = Counter(action for one in SAMPLE for action in one.actions)
    assert bars(figures["actions"]) == steps
    assert bars(figures["actions"], 1)["CLICK, HOME, BACK, RECENT"] == sum(
        steps[name] for name in ("CLICK", "HOME", "BACK", "RECENT")
    )


def test_split_parts_and_endings_add_up(figures: dict[str, Figure]) -> None:
    for number in (0, 1):
        grid = panel(figures["splits"], CountGrid, number)
        totals = {row: sum(counts) for row, counts in zip(grid.rows, grid.counts, strict=True)}
        assert totals["random/test"] == sum(one.sides["random"] == "test" for one in SAMPLE)
    assert sum(map(sum, panel(figures["endings"], CountGrid).counts)) == 400


def test_empty_and_tiny_datasets_have_figures() -> None:
    single = CountedEpisode(
        "1" * 16, "Web_Shopping", "", "", (), "Pixel", Size(10, 20), (), (Point(1000, 1000), Point(-5, 0))
    )
    for sample in ([], [single], [single, single]):
        assert_tables_are_rectangular(all_figures(sample, Against(V1, str)))


def test_days_without_recordings_are_shown_as_gaps() -> None:
    def on(day: date) -> CountedEpisode:
        return CountedEpisode("1" * 16, "c", "", "", (), "d", Size(1, 2), ("COMPLETE",), day=day)

    figure = next(
        one for one in all_figures([on(date(2026, 10, 30)), on(date(2026, 11, 2))], AGAINST) if one.key == "days"
    )
    assert [(one.label, one.value) for one in panel(figure, Columns).marks] == [
        ("2026-10-30", 1), ("2026-10-31", 0), ("2026-11-01", 0), ("2026-11-02", 1)
    ]  # fmt: skip


def test_figures_can_be_compared_with_another_dataset() -> None:
    other = episodes(100, APPS, seed=5)
    alone = all_figures(other, Against(PublishedFigures("other"), AGAINST.class_of))
    against = published_of("other", alone, mean_steps(other))

    devices = next(one for one in all_figures(SAMPLE, Against(against, str)) if one.key == "devices")

    for mark in panel(devices, Bars).marks:
        assert mark.published == pytest.approx(sum(one.device == mark.label for one in other) / 100)


def test_filter_values_are_quoted() -> None:
    assert term("app", 'a "b" \\c') == 'app:"a \\"b\\" \\\\c"'
