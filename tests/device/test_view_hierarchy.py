"""Dumps of real screens, and malicious ones."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.device.view_hierarchy import (
    LONGEST,
    ViewNode,
    clickable_at,
    field_name,
    focused_text,
    name_at,
    navigation_buttons,
    parse,
    shows_overview,
)
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Box, Pixel, Size

SCREEN = Size(1080, 2400)
SEARCH = (Path(__file__).parent / "data" / "view_tree_search.xml").read_text(encoding="utf-8")


def dump(*nodes: str) -> tuple[ViewNode, ...]:
    return parse(f"<?xml version='1.0' encoding='UTF-8'?><hierarchy rotation=\"0\">{''.join(nodes)}</hierarchy>")


def field(text: str, *, kind: str = "android.widget.EditText", more: str = "") -> str:
    return f'<node text="{text}" class="{kind}" focused="true" {more} bounds="[0,0][100,100]"/>'


def test_dump_is_parsed_into_nodes() -> None:
    nodes = parse(SEARCH)

    assert len(nodes) == 9
    assert nodes[2] == ViewNode(
        box=Box(0, 84, 147, 231),
        class_name="android.widget.ImageButton",
        package="org.example.mail",
        text="",
        hint="",
        description="Navigate up",
        clickable=True,
        focused=False,
        password=False,
        resource_id="org.example.mail:id/back",
    )


def test_text_of_the_focused_field_is_exact() -> None:
    assert focused_text(parse(SEARCH)) == "café & <b> \N{SMILING FACE WITH SMILING EYES}\nsecond line"


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        ([field("x", kind="android.widget.AutoCompleteTextView")], "x"),
        ([field("x", kind="com.example.FancyEditText")], "x"),
        ([field("")], ""),
        ([field("Search mail", more='hint="Search mail"')], ""),
        ([field("x", kind="android.webkit.WebView"), field("y")], "y"),
        ([field("x", kind="android.widget.TextView")], None),
        ([field("••••", more='password="true"')], None),
        ([field("x").replace('focused="true"', 'focused="false"')], None),
        ([], None),
    ],
)
def test_focused_text_excludes_passwords_and_labels(nodes: list[str], text: str | None) -> None:
    assert focused_text(dump(*nodes)) == text


@pytest.mark.parametrize(
    ("at", "box"),
    [
        (Pixel(10, 100), Box(0, 84, 147, 231)),
        (Pixel(200, 260), Box(0, 231, 1080, 431)),
        (Pixel(1000, 300), Box(960, 251, 1080, 411)),
        (Pixel(146, 230), Box(0, 84, 147, 231)),
        (Pixel(147, 230), Box(147, 84, 933, 231)),
        (Pixel(500, 1500), None),
    ],
    ids=["a button", "the row of a label", "clipped", "last pixel", "first pixel of the next", "only the screen"],
)
def test_click_hits_the_topmost_clickable_view(at: Pixel, box: Box | None) -> None:
    assert clickable_at(parse(SEARCH), at, SCREEN) == box


BUTTON = '<node clickable="true" bounds="[0,0][300,100]"/>'
AT = Pixel(50, 50)


def test_without_clickable_views_the_topmost_is_hit() -> None:
    nodes = dump('<node bounds="[0,0][300,300]"/>', '<node bounds="[0,0][500,500]"/>')
    assert clickable_at(nodes, AT, SCREEN) == Box(0, 0, 500, 500)
    assert clickable_at(nodes, Pixel(500, 0), SCREEN) is None


@pytest.mark.parametrize(
    ("above", "hit"),
    [
        ('<node clickable="true" enabled="false" bounds="[0,0][400,400]"/>', Box(0, 0, 400, 400)),
        ('<node class="android.widget.SeekBar" bounds="[0,0][400,400]"/>', Box(0, 0, 400, 400)),
        ('<node clickable="true" bounds="[0,0][1080,2400]"/>', None),
    ],
    ids=["a disabled button", "a slider", "a scrim"],
)
def test_view_above_a_button_takes_its_clicks(above: str, hit: Box | None) -> None:
    assert clickable_at(dump(f'<node bounds="[0,0][1080,2400]">{BUTTON}{above}</node>'), AT, SCREEN) == hit


def test_unreadable_drawing_order_is_the_lowest() -> None:
    row = '<node clickable="true" bounds="[0,0][400,200]" drawing-order="9z"/>'
    assert clickable_at(dump(BUTTON.replace("/>", ' drawing-order="2"/>'), row), AT, SCREEN) == Box(0, 0, 300, 100)


@dataclass
class View:
    box: Box
    order: int
    flag: str
    children: "list[View]"

    def dispatch(self, at: Pixel, clip: Box) -> Box | None:
        """The visible part of the view that consumes a touch, after ViewGroup.dispatchTouchEvent."""
        if at not in self.box:
            return None
        shown = overlap(self.box, clip)
        for child in sorted(self.children, key=lambda child: child.order, reverse=True):
            if target := child.dispatch(at, shown):
                return target
        return shown if self.flag else None

    def dumped(self, clip: Box) -> str:
        shown = overlap(self.box, clip)
        bounds = f"[{shown.left},{shown.top}][{shown.right},{shown.bottom}]"
        flag = f'{self.flag}="true"' if self.flag else ""
        inside = "".join(child.dumped(shown) for child in self.children)
        return f'<node {flag} bounds="{bounds}" drawing-order="{self.order}">{inside}</node>' if shown.area else ""


def overlap(one: Box, other: Box) -> Box:
    left, top = max(one.left, other.left), max(one.top, other.top)
    return Box(left, top, min(one.right, other.right), min(one.bottom, other.bottom))


sides = st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted)
boxes = st.builds(lambda x, y: Box(x[0], y[0], x[1] + 1, y[1] + 1), sides, sides)
flags = st.sampled_from(["", "", "clickable", "long-clickable", "scrollable"])


def views(children: st.SearchStrategy[list[View]]) -> st.SearchStrategy[View]:
    in_order = children.flatmap(
        lambda some: st.permutations(range(1, len(some) + 1)).map(
            lambda orders: [replace(view, order=order) for view, order in zip(some, orders, strict=True)]
        )
    )
    return st.builds(View, boxes, st.just(1), flags, in_order)


trees = st.recursive(views(st.just([])), lambda inner: views(st.lists(inner, max_size=4)), max_leaves=12)


@given(trees, st.integers(0, 20), st.integers(0, 20))
def test_click_hits_the_view_that_android_dispatches_to(tree: View, x: int, y: int) -> None:
    screen = Box(0, 0, 21, 21)
    page = View(screen, 1, "clickable", [tree])
    assert clickable_at(dump(page.dumped(screen)), Pixel(x, y), Size(100, 100)) == page.dispatch(Pixel(x, y), screen)


@pytest.mark.parametrize("bounds", ["", "[0,0]", "[0,0][1,1]x", "[0,0][99999999999,1]", "[a,b][c,d]", "[9,9][1,1]"])
def test_node_with_invalid_bounds_is_never_hit(bounds: str) -> None:
    nodes = dump(f'<node clickable="true" bounds="{bounds}"/>', '<node clickable="true" bounds="[0,0][200,200]"/>')
    assert clickable_at(nodes, Pixel(5, 5), SCREEN) == Box(0, 0, 200, 200)


@pytest.mark.parametrize(
    "xml", ["", "no xml", "<hierarchy><node bounds='[0,0][1,1]'>", "<hierarchy/><hierarchy/>", "<a>\x01</a>"]
)
def test_malformed_dump_is_an_error(xml: str) -> None:
    with pytest.raises(DeviceError, match="cannot be read"):
        parse(xml)


def test_xml_entities_are_refused() -> None:
    entities = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    with pytest.raises(DeviceError, match="defines XML entities"):
        parse(f'<!DOCTYPE h [{entities}]><hierarchy><node text="&a11;" bounds="[0,0][1,1]"/></hierarchy>')


def test_oversized_dump_is_refused() -> None:
    with pytest.raises(DeviceError, match="too long"):
        parse("<" + "h" * LONGEST)


def test_deep_tree_is_parsed() -> None:
    depth = 20_000
    assert len(dump('<node bounds="[0,0][1,1]">' * depth, "</node>" * depth)) == depth


@given(st.text())
def test_any_text_is_parsed_or_a_device_error(text: str) -> None:
    try:
        nodes = parse(text)
    except DeviceError:
        return
    assert clickable_at(nodes, Pixel(1, 1), SCREEN) is None


ROW = '<node clickable="true" {} bounds="[0,0][400,200]">{}</node>'
LABEL = '<node {} bounds="[10,10][300,90]"/>'
LIST = '<node scrollable="true" bounds="[0,0][400,400]">{}</node>'
SWITCH = '<node clickable="true" text="Off" bounds="[310,10][390,90]"/>'


@pytest.mark.parametrize(
    ("node", "name"),
    [
        (ROW.format('text="OK"', ""), "OK"),
        (ROW.format('content-desc="New note"', ""), "New note"),
        (ROW.format("", SWITCH + LABEL.format('text=" "') + LABEL.format('text="Wi-Fi"')), "Wi-Fi"),
        (ROW.format("", SWITCH), ""),
        (ROW.format('class="android.widget.EditText" text="milk" hint="Title"', ""), "Title"),
        (ROW.format('password="true" text="secret"', ""), ""),
        (LABEL.format('text="Oslo"'), "Oslo"),
        (LIST.format(ROW.format('text="OK"', "")), "OK"),
        (LIST.format(LABEL.format('text="far"')), ""),
        ('<node clickable="true" text="all" bounds="[0,0][1080,2400]"/>', ""),
        ("", ""),
    ],
    ids=[
        "text", "description", "a row's label", "a row without a label", "a field", "a password", "no button",
        "in a list", "a list", "the whole screen", "nothing",
    ],
)  # fmt: skip
def test_name_of_a_clicked_element(node: str, name: str) -> None:
    assert name_at(dump(node, '<node clickable="true" text="other" bounds="[500,0][600,90]"/>'), AT, SCREEN) == name


def test_field_is_named_by_its_hint_not_its_text() -> None:
    focused = '<node class="android.widget.EditText" focused="true" text="milk" {} bounds="[0,0][9,9]"/>'
    assert field_name(dump(focused.format('hint="Title"'))) == "Title"
    assert field_name(dump(focused.format('content-desc="Search"'))) == "Search"
    assert field_name(dump(focused.format(""))) == ""
    assert field_name(dump(ROW.format('text="OK"', ""))) == ""


# All windows of the device.


def window(index: int, layer: int, bounds: str, *nodes: str, active: bool = False) -> str:
    flags = f'active="{active}" focused="{active}"'.lower()
    views = f'<hierarchy rotation="0">{"".join(nodes)}</hierarchy>'
    return f'<window index="{index}" title="" bounds="{bounds}" {flags} layer="{layer}">{views}</window>'


def windows(*listed: str, display: int = 0) -> str:
    return f'<display id="{display}">{"".join(listed)}</display>'


def button(left: int, top: int, right: int, bottom: int, id_: str = "") -> str:
    return f'<node clickable="true" resource-id="{id_}" bounds="[{left},{top}][{right},{bottom}]"/>'


WHOLE = "[0,0][1080,2400]"
PAGE = '<node bounds="[0,0][1080,2400]">' + button(40, 400, 1040, 540, "com.app:id/delete") + "</node>"
APP = window(2, 1, WHOLE, PAGE, active=True)
SUGGESTIONS = window(1, 5, "[40,340][1040,640]", '<node bounds="[40,340][1040,640]"/>')


@pytest.mark.parametrize("order", [(SUGGESTIONS, APP), (APP, SUGGESTIONS)], ids=["top first", "any"])
def test_click_on_a_pop_up_hits_no_view_beneath_it(order: tuple[str, ...]) -> None:
    nodes = parse(f"<displays>{windows(*order)}</displays>")
    assert clickable_at(nodes, Pixel(500, 450), SCREEN) == Box(40, 340, 1040, 640)
    assert clickable_at(parse(f"<displays>{windows(APP)}</displays>"), Pixel(500, 450), SCREEN) == Box(
        40, 400, 1040, 540
    )


def test_without_layers_the_first_window_is_the_topmost() -> None:
    listed = windows(SUGGESTIONS, APP).replace("layer", "was")
    assert clickable_at(parse(listed), Pixel(500, 450), SCREEN) == Box(40, 340, 1040, 640)


def test_window_takes_touches_within_its_bounds_only() -> None:
    """The window of a keyboard fills the screen, and takes touches in its lower part."""
    keyboard = window(0, 9, "[0,1500][1080,2400]", '<node bounds="[0,0][1080,2400]"/>')
    nodes = parse(f"<displays>{windows(keyboard, APP)}</displays>")
    assert clickable_at(nodes, Pixel(500, 450), SCREEN) == Box(40, 400, 1040, 540)
    assert clickable_at(nodes, Pixel(500, 2000), SCREEN) == Box(0, 1500, 1080, 2400)


def test_window_within_another_is_above_it_and_other_displays_do_not_count() -> None:
    """A pop-up is listed within the window that it belongs to, before the views of that."""
    outer = APP.replace("<hierarchy", SUGGESTIONS + "<hierarchy", 1)
    elsewhere = windows(window(0, 99, WHOLE, button(0, 0, 1000, 1000)), display=7)
    nodes = parse(f"<displays>{windows(outer)}{elsewhere}</displays>")
    assert clickable_at(nodes, Pixel(500, 450), SCREEN) == Box(40, 340, 1040, 640)
    assert clickable_at(nodes, Pixel(500, 370), SCREEN) == Box(40, 340, 1040, 640)
    assert len(nodes) == 3


def test_field_of_a_window_without_the_focus_is_not_the_focused_one() -> None:
    search = window(0, 9, WHOLE, field("its own search field"))
    editing = window(1, 1, WHOLE, field("a note"), active=True)
    assert focused_text(parse(f"<displays>{windows(search, editing)}</displays>")) == "a note"


UNDER_SUGGESTIONS = (Path(__file__).parent / "data" / "dump_under_suggestions.xml").read_text(encoding="utf-8")
"""A dump of the active window alone, in the format of Android's own source: suggestions cover the button."""


def test_field_with_suggestions_may_cover_everything_around_it() -> None:
    nodes = parse(UNDER_SUGGESTIONS)
    assert clickable_at(nodes, Pixel(540, 470), SCREEN) is None
    assert clickable_at(nodes, Pixel(540, 270), SCREEN) == Box(40, 200, 1040, 340)
    unfocused = tuple(replace(node, focused=False) for node in nodes)
    assert clickable_at(unfocused, Pixel(540, 470), SCREEN) == Box(40, 400, 1040, 540)


@pytest.mark.parametrize(
    ("package", "home"),
    [
        ("com.android.systemui", "home_button"),
        ("com.android.launcher3", "home"),
        ("com.google.android.apps.nexuslauncher", "home"),
    ],
)
def test_navigation_buttons_are_found_by_their_ids(package: str, home: str) -> None:
    ids = ("back", home, "recent_apps", "ime_switcher")
    bar = [button(200 * n, 2300, 200 * n + 100, 2400, f"{package}:id/{id_}") for n, id_ in enumerate(ids)]
    listed = windows(window(0, 9, "[0,2274][1080,2400]", *bar), APP)
    found = navigation_buttons(parse(listed))
    assert found == {
        SystemKey.BACK: Box(0, 2300, 100, 2400),
        SystemKey.HOME: Box(200, 2300, 300, 2400),
        SystemKey.RECENT: Box(400, 2300, 500, 2400),
    }
    assert navigation_buttons(parse(listed.replace("recent_apps", "other"))) == {}
    assert navigation_buttons(parse(listed.replace(package, "com.app"))) == {}


@pytest.mark.parametrize(
    ("ids", "shows"),
    [
        (("com.google.android.apps.nexuslauncher:id/overview_panel",), True),
        (("com.android.launcher3:id/workspace", "com.android.launcher3:id/overview_actions_view"), False),
        (("com.android.launcher3:id/apps_view",), None),
        (("com.example.shop:id/workspace", "com.example.shop:id/overview_panel"), None),
    ],
)
def test_recent_apps_and_the_home_screen_are_told_apart_by_their_ids(ids: tuple[str, ...], shows: bool | None) -> None:
    listed = windows(window(0, 9, "[0,0][1080,2400]", *(button(0, 0, 9, 9, id_) for id_ in ids)))
    assert shows_overview(parse(listed)) is shows
