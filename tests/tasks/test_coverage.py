from dataclasses import replace

import pytest

from odyssey_recorder.model.episode import Category, TaskInfo
from odyssey_recorder.tasks.generation.coverage import Cell, Coverage, Tally, asking_for, cover
from odyssey_recorder.tasks.generation.generator import Targets
from odyssey_recorder.tasks.listing import ListedTask
from odyssey_recorder.tasks.queue.task_status import QueuedTask, Status
from odyssey_recorder.tasks.templates.template import (
    OTHER,
    Catalogue,
    CatalogueApp,
    Items,
    Role,
    Template,
    TemplateLibrary,
)

TUBE, CAST, JOT, SHOP = (
    CatalogueApp("Tube", "org.tube", "Video", frozenset({"video"})),
    CatalogueApp("Cast", "org.cast", "Podcasts", frozenset({"podcast"})),
    CatalogueApp("Jot", "org.jot", "Notes", frozenset({"notes"})),
    CatalogueApp("Shop", "org.shop", OTHER, frozenset({"shop"})),
)
PHONE = Catalogue("phone", "A phone", ("Video", "Podcasts", "Notes"), (TUBE, CAST, JOT, SHOP))
TEMPLATE = Template(
    template_id="watch",
    category=Category.MEDIA_ENTERTAINMENT,
    meta_task="Watch {item}",
    slots={"item": Items(("a film",))},
    roles=(Role("video"), Role("notes")),
    phrasings=(),
    named_phrasings=(),
    catalogue="phone",
)
LIBRARY = TemplateLibrary((TEMPLATE,), {"phone": PHONE})
DEVICES = ("pixel_fold", "small_phone")
MEDIA = Category.MEDIA_ENTERTAINMENT.value
ONLY_MEDIA = Targets({Category.MEDIA_ENTERTAINMENT: 1.0})


def queued(*apps: str, status: Status = Status.WAITING, devices: tuple[str, ...] = ("pixel_fold",)) -> QueuedTask:
    info = TaskInfo(MEDIA, apps, "Watch {item}", "Watch a film", "Watch a film")
    return QueuedTask(ListedTask("t", info, devices=devices, template="watch"), status)


def coverage_of(*tasks: QueuedTask, targets: Targets = ONLY_MEDIA) -> Coverage:
    return cover(tasks, LIBRARY, "phone", targets, DEVICES)


def test_task_is_divided_among_its_devices_and_app_classes() -> None:
    found = coverage_of(queued("Tube", "Jot", devices=()))
    assert {cell: tally.open for cell, tally in found.tallies.items() if cell.category == MEDIA} == {
        Cell(MEDIA, "pixel_fold", "Notes"): 0.25,
        Cell(MEDIA, "pixel_fold", "Video"): 0.25,
        Cell(MEDIA, "small_phone", "Notes"): 0.25,
        Cell(MEDIA, "small_phone", "Video"): 0.25,
    }


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (Status.TO_APPROVE, Tally(open=1.0)),
        (Status.CLAIMED, Tally(open=1.0)),
        (Status.SENT_BACK, Tally(open=1.0)),
        (Status.RECORDED, Tally(recorded=1.0)),
        (Status.IMPOSSIBLE, Tally(recorded=1.0)),
        (Status.DONE, Tally(recorded=1.0)),
        (Status.REJECTED, Tally()),
    ],
)
def test_open_and_recorded_tasks_count_but_rejected_ones_do_not(status: Status, expected: Tally) -> None:
    assert replace(coverage_of(queued("Tube", status=status)).at(MEDIA, "pixel_fold"), wanted=0.0) == expected


def test_wanted_tasks_are_divided_in_proportion_to_the_targets() -> None:
    targets = Targets({Category.MEDIA_ENTERTAINMENT: 3.0, Category.WEB_SHOPPING: 1.0}, {"small_phone": 1.0})
    found = coverage_of(*[queued("Tube")] * 8, targets=targets)
    assert found.at(MEDIA, "small_phone").wanted == pytest.approx(6.0)
    assert found.at("Web_Shopping", "small_phone").wanted == pytest.approx(2.0)
    assert found.at(MEDIA, "pixel_fold").wanted == 0.0
    assert sum(tally.wanted for tally in found.tallies.values()) == pytest.approx(8.0)


def test_cells_are_wanted_equally_without_targets() -> None:
    found = coverage_of(queued("Tube"), targets=Targets())
    wanted = [found.at(category, device).wanted for category in found.categories for device in found.devices]
    assert wanted == pytest.approx([1 / 12] * 12)
    assert len(coverage_of().emptiest) == 4


def test_only_app_classes_that_templates_can_use_are_wanted() -> None:
    assert set(coverage_of().classes(MEDIA, "pixel_fold")) == {"Video", "Notes"}
    assert set(coverage_of().classes("Web_Shopping", "pixel_fold")) == {OTHER}


def test_task_target_sets_the_total_number_wanted() -> None:
    found = coverage_of(queued("Tube", "Jot"), targets=replace(ONLY_MEDIA, tasks=40))
    assert sum(tally.wanted for tally in found.tallies.values()) == pytest.approx(40)
    assert found.at(MEDIA, "pixel_fold").whole == (1, 20)
    assert found.at(MEDIA).missing == 39


def test_surplus_on_one_device_does_not_hide_a_gap_on_another() -> None:
    found = coverage_of(*[queued("Tube", "Jot")] * 30, targets=replace(ONLY_MEDIA, tasks=40))
    assert found.at(MEDIA, "pixel_fold").whole == (30, 20)
    assert found.at(MEDIA).whole == (20, 40)
    assert [tally.whole for tally in found.classes(MEDIA).values()] == [(10, 20), (10, 20)]


def test_emptiest_lists_only_cells_below_their_target() -> None:
    found = coverage_of(*[queued("Tube")] * 3, queued("Jot", devices=("small_phone",)))
    assert found.emptiest == (Cell(MEDIA, "pixel_fold", "Notes"), Cell(MEDIA, "small_phone", "Video"))


def test_tasks_of_other_catalogues_or_devices_are_not_counted() -> None:
    elsewhere = queued("Tube")
    other = TemplateLibrary((replace(TEMPLATE, catalogue="tv"),), LIBRARY.catalogues)
    assert cover([elsewhere], other, "phone", Targets(), DEVICES).at(MEDIA, "pixel_fold").there == 0.0
    assert coverage_of(queued("Tube", devices=("pixel_tablet",))).at(MEDIA, "pixel_tablet").there == 0.0


def test_task_without_template_is_classified_by_its_apps() -> None:
    written = replace(queued("Cast").listed, template="")
    assert coverage_of(QueuedTask(written, Status.WAITING)).classes(MEDIA, "pixel_fold")["Podcasts"].open == 1.0
    strange = replace(written, task=replace(written.task, apps=("Nobody's app",)))
    assert coverage_of(QueuedTask(strange, Status.WAITING)).at(MEDIA, "pixel_fold").there == 0.0


def test_first_role_that_fits_an_app_class_is_narrowed_to_it() -> None:
    narrowed = asking_for(LIBRARY, "phone", "Notes").templates
    assert [template.roles for template in narrowed] == [(Role("video"), Role("notes", ("Jot",)))]
    assert asking_for(LIBRARY, "phone", "Podcasts").templates == ()


def test_narrowed_role_leaves_apps_for_the_other_roles() -> None:
    reader = CatalogueApp("Reader", "org.reader", "Reading", frozenset({"read", "listen"}))
    radio = CatalogueApp("Radio", "org.radio", "Video", frozenset({"listen"}))
    phone = Catalogue("phone", "A phone", ("Reading", "Video"), (reader, radio))
    one = replace(TEMPLATE, roles=(Role("listen"), Role("read")))
    library = TemplateLibrary((one,), {"phone": phone})
    assert [each.roles for each in asking_for(library, "phone", "Reading").templates] == [
        (Role("listen"), Role("read", ("Reader",)))
    ]


def test_role_with_named_apps_is_narrowed_only_to_those() -> None:
    narrow = replace(TEMPLATE, roles=(Role("video", ("Cast", "Gone")),))
    library = TemplateLibrary((narrow,), LIBRARY.catalogues)
    assert asking_for(library, "phone", "Video").templates == ()
    assert [one.roles for one in asking_for(library, "phone", "Podcasts").templates] == [(Role("video", ("Cast",)),)]
