"""The first page of every app on every screen, including phones in landscape, and after a snapshot."""

import pytest

from odyssey_simulator.apps import APPS
from tests.simulator.person import Person, person_with

FIRST_TEXTS = {
    "Browser": "Lumen",
    "Notes": "Packing list",
    "Settings": "Network & internet",
    "Shop": "30 products",
    "To-do": "Book the dentist",
    "Calendar": "November 2026",
    "Mail": "Dinner on Saturday",
    "Clock": "World clock",
    "Music": "Airlock Roses",
    "Photos": "November 2026",
    "Social": "Post by Jonas Weber",
    "Messages": "Mira Vogel",
    "Calculator": "Equals",
}


def thin_controls(person: Person) -> list[str]:
    """Touchable views thinner than 24 dp, except those clipped by a list."""
    state = person.phone.state()
    least = 24 * state.density / 160
    inside = (state.status_bar.bottom, state.navigation_bar.top)
    lists = [node.bounds for node in person.nodes if node.scrollable]
    edges = {edge for area in lists for edge in (area.top, area.bottom, area.left, area.right)} | set(inside)
    return [
        node.content_desc or node.text
        for node in person.nodes
        if node.clickable
        and min(node.bounds.width, node.bounds.height) < least
        and not edges & {node.bounds.top, node.bounds.bottom, node.bounds.left, node.bounds.right}
    ]


@pytest.mark.parametrize(
    ("profile", "rotation"),
    [
        *(("small_phone", 0), ("small_phone", 1), ("medium_phone", 0), ("pixel_fold", 0), ("pixel_tablet", 0)),
        *(pytest.param(profile, 0, marks=pytest.mark.soak) for profile in ("pixel_7_pro", "pixel_8_pro")),
    ],
)
def test_every_app_opens_with_touchable_controls_on_every_screen(profile: str, rotation: int) -> None:
    with person_with(profile) as person:
        person.phone.set_rotation(rotation)
        for app in APPS:
            person.phone.start_activity(app.package)
            assert person.sees(FIRST_TEXTS[app.label])
            assert rotation or thin_controls(person) == []


def test_snapshot_restores_running_apps(person: Person) -> None:
    person.open("Social", "Profile")
    person.open("Music", "Delta")
    playing = person.phone.screen().rgba
    snapshot = person.phone.save_snapshot()
    person.tap("Pause")
    person.phone.load_snapshot(snapshot)
    assert person.phone.screen().rgba == playing
    person.phone.start_activity("com.odyssey.social")

    assert person.sees("Post by Robin Keller")
    assert not person.sees("Follow")
