import pytest
from PIL import Image

from odyssey_recorder.simulator.ui.controls import Icon, Picture, Text
from odyssey_recorder.simulator.ui.draw import Canvas
from odyssey_recorder.simulator.ui.geometry import Rect
from odyssey_recorder.simulator.ui.layout import Column, Grid, Place, Row, Scroll, Spacer, Stack, Surface
from odyssey_recorder.simulator.ui.theme import hex_of, mixed, theme_of
from odyssey_recorder.simulator.ui.view import Box, Limits, Look, Memory, View

SCREEN = Rect(0, 0, 320, 480)


def placed(view: View, memory: Memory | None = None) -> Box:
    """The view laid out on a screen of 320 x 480 dp at 160 dpi, where 1 dp is 1 px."""
    look = Look(theme_of("#3b5ba9"), 160, SCREEN.width, SCREEN.height, memory or Memory())
    box = view.layout(look, Limits(SCREEN.width, SCREEN.height, SCREEN.width, SCREEN.height))
    box.place(0, 0, SCREEN)
    return box


def drawn(view: View) -> Image.Image:
    picture = Image.new("RGBA", (SCREEN.width, SCREEN.height), (0, 0, 0, 255))
    placed(view).paint(Canvas(picture))
    return picture


def block(width: float, height: float, color: str = "#ff0000") -> Surface:
    return Surface(color=color, width=width, height=height)


def rects(box: Box) -> list[Rect]:
    return [child.rect for child in box.children]


def test_a_row_gives_what_is_left_to_the_views_that_flex_by_their_share() -> None:
    row = Row((block(20, 10), Spacer(flex=1), Spacer(flex=3)), gap=20)

    assert [rect.width for rect in rects(placed(row))] == [20, 65, 195]


def test_between_pushes_the_first_and_the_last_to_the_ends() -> None:
    row = Row((block(20, 10), block(20, 10), block(20, 10)), along="between")

    assert [rect.left for rect in rects(placed(row))] == [0, 150, 300]


def test_a_column_puts_views_below_each_other_with_gap_and_padding() -> None:
    column = Column((block(20, 30), block(20, 40)), gap=8, pad=(10, 16))

    assert [(rect.left, rect.top) for rect in rects(placed(column))] == [(10, 16), (10, 54)]


def test_a_list_gets_the_room_that_the_views_around_it_leave() -> None:
    column = Column((block(20, 50), Scroll(block(20, 2000)), block(20, 60)))

    assert [rect.height for rect in rects(placed(column))] == [50, 370, 60]


@pytest.mark.parametrize(
    ("where", "corner"),
    [("top start", (8, 8)), ("bottom end", (272, 432)), ("center", (140, 220)), ("bottom", (140, 432))],
)
def test_a_place_puts_a_view_where_it_says(where: str, corner: tuple[int, int]) -> None:
    stack = Stack((Spacer(flex=1), Place(block(40, 40), where, pad=8)))
    view = placed(stack).children[1].children[0]

    assert (view.rect.left, view.rect.top) == corner


def test_a_touch_goes_through_a_place_beside_its_view() -> None:
    below = Surface(color="#00ff00")
    stack = placed(Stack((below, Place(block(40, 40), "bottom end"))))

    assert stack.under(10, 10)[0].view is below
    assert stack.under(300, 470)[0].view is not below


def test_a_grid_makes_as_many_columns_as_fit() -> None:
    cells = rects(placed(Grid([block(10, 30) for _ in range(5)], min_cell=90, gap=10)))

    assert [cell.left for cell in cells] == [0, 110, 220, 0, 110]
    assert cells[3].top == 40


def test_a_list_is_moved_by_its_offset_but_not_beyond_its_end() -> None:
    memory = Memory(scroll={"list": 999_999})
    box = placed(Scroll(block(320, 600)), memory)

    assert memory.scroll["list"] == 120
    assert box.children[0].rect.top == -120


def test_what_is_scrolled_out_of_sight_is_not_visible() -> None:
    column = Column([block(320, 100) for _ in range(10)])
    box = placed(Scroll(column), Memory(scroll={"list": 150}))
    shown = [child.visible for child in box.children[0].children]

    assert shown[0].is_empty
    assert shown[1] == Rect(0, 0, 320, 50)
    assert shown[9].is_empty


def test_nothing_is_drawn_outside_of_a_list() -> None:
    page = Column((block(320, 100, "#0000ff"), Surface(Scroll(block(320, 900)), height=100), Spacer(flex=1)))
    picture = drawn(page)

    assert picture.getpixel((5, 150)) == (255, 0, 0, 255)
    assert picture.getpixel((5, 205)) == (0, 0, 0, 255)


def test_the_corners_of_a_round_surface_are_left_out_and_soft() -> None:
    picture = drawn(Column((Surface(color="#ffffff", radius=20, width=100, height=40),)))
    column = [picture.getpixel((x, 3)) for x in range(20)]

    assert picture.getpixel((0, 0)) == (0, 0, 0, 255)
    assert picture.getpixel((50, 20)) == (255, 255, 255, 255)
    assert any(isinstance(pixel, tuple) and 0 < pixel[0] < 255 for pixel in column)


def test_a_round_picture_keeps_what_lies_behind_its_corners() -> None:
    painted = Picture(lambda width, height: Image.new("RGBA", (width, height), "#00ff00"), 60, 60, radius=30)
    picture = drawn(Surface(Column((Row((painted,)),)), color="#0000ff"))

    assert picture.getpixel((0, 0)) == (0, 0, 255, 255)
    assert picture.getpixel((30, 30)) == (0, 255, 0, 255)


def test_a_drawn_screen_is_opaque_everywhere() -> None:
    page = Surface(
        Column((Text("Words", 30), Icon("magnify"), Surface(color="primary", radius=9, height=40, elevation=4)))
    )
    assert drawn(page).getchannel("A").getextrema() == (255, 255)


def test_a_text_wraps_and_ends_after_the_lines_it_may_have() -> None:
    long = Text("many words that go on and on " * 8, 20)
    free, held = (placed(Column((text,))).children[0] for text in (long, Text(long.text, 20, lines=2)))

    assert len(free.lines) > 2
    assert len(held.lines) == 2


def test_a_theme_is_light_or_dark_and_its_words_can_be_read() -> None:
    for color in ("#e0a100", "#3b5ba9", "#c62828"):
        light, dark = theme_of(color), theme_of(color, dark=True)
        assert sum(light.surface) > 600 > 150 > sum(dark.surface)
        for theme in (light, dark):
            assert abs(sum(theme.on_surface) - sum(theme.surface)) > 450
            assert abs(sum(theme.on_primary) - sum(theme.primary)) > 200


def test_a_role_that_no_theme_has_is_an_error() -> None:
    with pytest.raises(AttributeError):
        theme_of("#3b5ba9").color("on_everything")


def test_colors_mix_by_share() -> None:
    assert hex_of(mixed((0, 0, 0), (200, 100, 50), 0.5)) == "#643219"
