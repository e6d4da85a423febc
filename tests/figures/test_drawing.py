"""Drawings of the figures: everything inside, everything labelled, and SVG that parses."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from odyssey_recorder.figures.counting import Against, all_figures
from odyssey_recorder.figures.drawing import Drawing, FilledRect, Label, Line, drawn
from odyssey_recorder.figures.figure import BarMark, Bars, Columns, Figure, Panel, TextTable
from odyssey_recorder.figures.page import FiguresSource, figures_as_json, file_names, write_figures_page
from odyssey_recorder.figures.published import V2
from odyssey_recorder.figures.svg import svg
from tests.figures.sample import episodes

HOSTILE = 'Notes </title><script>alert("1")</script>\x07'
FIGURES = all_figures(episodes(150, ["Chrome", "Maps", HOSTILE]), Against(V2, str))


def draw(panel: Panel) -> Drawing:
    drawing = drawn(panel)
    assert drawing is not None
    return drawing


def rects(drawing: Drawing) -> list[FilledRect]:
    return [one for one in drawing.shapes if isinstance(one, FilledRect)]


def all_drawings() -> list[tuple[str, Drawing]]:
    found = ((f"{one.key} {part.title}", drawn(part)) for one in FIGURES for part in one.panels)
    return [(name, drawing) for name, drawing in found if drawing is not None]


@pytest.mark.parametrize(("name", "drawing"), all_drawings())
def test_all_shapes_lie_inside_the_drawing(name: str, drawing: Drawing) -> None:
    for shape in drawing.shapes:
        match shape:
            case FilledRect(x, y, width, height):
                assert -0.1 <= x <= x + width <= drawing.width + 0.1, name
                assert -0.1 <= y <= y + height <= drawing.height + 0.1, name
            case Line(x, y, to_x, to_y):
                assert -0.1 <= min(x, to_x) <= max(x, to_x) <= drawing.width + 0.1, name
                assert -0.1 <= min(y, to_y) <= max(y, to_y) <= drawing.height + 0.1, name
            case Label(x, y):
                assert 0 <= x <= drawing.width, name
                assert 0 <= y <= drawing.height, name


@pytest.mark.parametrize(("name", "drawing"), all_drawings())
def test_svg_is_well_formed_and_escapes_text(name: str, drawing: Drawing) -> None:
    root = ElementTree.fromstring(svg(drawing, name))
    assert root.attrib["aria-label"]
    assert not [one for one in root.iter() if one.tag.endswith("script")]
    marks = [one for one in rects(drawing) if one.tip]
    assert len([one for one in root.iter() if one.tag.endswith("rect")]) == len(marks)


def test_bar_lengths_are_proportional() -> None:
    panel = Bars("", "app", "episodes", 10, (BarMark("a", 8), BarMark("b", 4), BarMark("c", 0, published=0.2)))
    drawing = draw(panel)
    first, second, _ = rects(drawing)
    tick = next(one for one in drawing.shapes if isinstance(one, Line))
    assert first.width == pytest.approx(2 * second.width)
    assert (tick.x - first.x) / first.width == pytest.approx(0.2 / 0.8)


def test_histogram_line_is_centred_on_its_value() -> None:
    panel = Columns("", "steps", "episodes", 3, 2, (BarMark("3-4", 1), BarMark("5-6", 1)), (("mean", 5.5),))
    drawing = draw(panel)
    last = rects(drawing)[-1]
    line = next(one for one in drawing.shapes if isinstance(one, Line) and one.tone == "text")
    assert line.x == pytest.approx(last.x + last.width / 2)


def test_panel_without_marks_is_not_drawn() -> None:
    assert drawn(Bars("", "app", "episodes", 0, ())) is None
    assert drawn(TextTable("", ("a",), (("b",),))) is None


def test_page_has_every_figure_with_its_table_and_no_script(tmp_path: Path) -> None:
    page = tmp_path / "figures.html"
    write_figures_page(page, FIGURES, FiguresSource("<b>data</b>", 150, "v2", 'app:"<i>"', ("1.json: broken & torn",)))

    text = page.read_text()
    assert text.count("<h2") == len(FIGURES) + 1
    assert text.count("<table") == sum(len(one.panels) for one in FIGURES)
    assert "<script" not in text
    assert "&lt;b&gt;data" in text
    assert "broken &amp; torn" in text
    assert not re.search(r"(src|href)=", text), "it loads nothing"


def test_json_contains_every_figure() -> None:
    tree = figures_as_json(FIGURES, FiguresSource("data", 150, "v2"))

    assert isinstance(tree["figures"], list)
    assert len(tree["figures"]) == 17
    first = tree["figures"][0]
    assert isinstance(first, dict)
    assert first["key"] == "headline"


def test_file_names_are_safe_and_unique() -> None:
    names = [name for figure in FIGURES for _, name in file_names(figure)]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z-]+(-\d+)?", name) for name in names)


def test_single_drawing_is_named_after_its_figure() -> None:
    figure = Figure("devices", "Devices", (Bars("", "device", "episodes", 1, (BarMark("a", 1),)),))
    assert [name for _, name in file_names(figure)] == ["devices"]


def test_rank_axis_is_logarithmic() -> None:
    panel = Columns("", "rank", "episodes", 1, 1, tuple(BarMark("", value) for value in (100, 10, 1)), is_log=True)
    drawing = draw(panel)
    high, middle, low = [one.height for one in rects(drawing)]
    assert high - middle == pytest.approx(middle - low)
    assert low > 10, "a count of 1 is seen"
    ticks = [one.text for one in drawing.shapes if isinstance(one, Label)][:3]
    assert ticks == ["1", "10", "100"]


def test_mean_beyond_the_axis_is_labelled_at_its_edge() -> None:
    drawing = draw(Columns("", "steps", "episodes", 3, 1, (BarMark("3", 2), BarMark("4", 1)), (("v2", 15.3),)))
    assert "v2 15.3 →" in [one.text for one in drawing.shapes if isinstance(one, Label)]
    assert all(one.x <= drawing.width for one in drawing.shapes)


def test_tip_of_one_episode_is_singular() -> None:
    bars = Bars("", "app", "episodes", 2, (BarMark("a", 1), BarMark("b", 2)))
    columns = Columns("", "steps", "episodes", 1, 1, (BarMark("1", 1),))
    tips = [one.tip for panel in (bars, columns) for one in rects(draw(panel))]
    assert tips == ["a: 1 episode, 50.0%", "b: 2 episodes, 100.0%", "steps 1: 1 episode"]
