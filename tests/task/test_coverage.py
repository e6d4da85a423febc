from dataclasses import replace

import pytest

from odyssey_recorder.model.episode import Category, TaskInfo
from odyssey_recorder.task.generation.coverage import Cell, Coverage, Tally, asking_for, cover
from odyssey_recorder.task.generation.generator import Targets
from odyssey_recorder.task.listing import ListedTask
from odyssey_recorder.task.queue.board import QueuedTask, Status
from odyssey_recorder.task.templates.template import (
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


def board(*tasks: QueuedTask, targets: Targets = ONLY_MEDIA) -> Coverage:
    return cover(tasks, LIBRARY, "phone", targets, DEVICES)


def test_a_task_counts_as_one_in_parts_at_its_devices_and_at_the_classes_of_its_apps() -> None:
    found = board(queued("Tube", "Jot", devices=()))
    assert {cell: tally.open for cell, tally in found.tallies.items() if cell.category == MEDIA} == {
        Cell(MEDIA, "pixel_fold", "Notes"): 0.25,
        Cell(MEDIA, "pixel_fold", "Video"): 0.25,
        Cell(MEDIA, "small_phone", "Notes"): 0.25,
        Cell(MEDIA, "small_phone", "Video"): 0.25,
    }


@pytest.mark.parametrize(
    ("status", "there"),
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
def test_what_is_to_come_is_told_from_what_is_recorded_and_what_was_rejected_does_not_count(
    status: Status, there: Tally
) -> None:
    assert replace(board(queued("Tube", status=status)).at(MEDIA, "pixel_fold"), wanted=0.0) == there


def test_as_many_are_wanted_as_there_are_in_proportion_to_the_targets() -> None:
    targets = Targets({Category.MEDIA_ENTERTAINMENT: 3.0, Category.WEB_SHOPPING: 1.0}, {"small_phone": 1.0})
    found = board(*[queued("Tube")] * 8, targets=targets)
    assert found.at(MEDIA, "small_phone").wanted == pytest.approx(6.0)
    assert found.at("Web_Shopping", "small_phone").wanted == pytest.approx(2.0)
    assert found.at(MEDIA, "pixel_fold").wanted == 0.0
    assert sum(tally.wanted for tally in found.tallies.values()) == pytest.approx(8.0)


def test_without_targets_all_are_wanted_alike_and_without_tasks_every_cell_that_is_wanted_is_empty() -> None:
    found = board(queued("Tube"), targets=Targets())
    wanted = [found.at(category, device).wanted for category in found.categories for device in found.devices]
    assert wanted == pytest.approx([1 / 12] * 12)
    assert len(board().emptiest) == 4


def test_only_classes_that_a_template_can_ask_for_are_wanted() -> None:
    assert set(board().classes(MEDIA, "pixel_fold")) == {"Video", "Notes"}
    assert set(board().classes("Web_Shopping", "pixel_fold")) == {OTHER}


def test_a_target_says_how_many_tasks_are_wanted_in_all() -> None:
    found = board(queued("Tube", "Jot"), targets=replace(ONLY_MEDIA, tasks=40))
    assert sum(tally.wanted for tally in found.tallies.values()) == pytest.approx(40)
    assert found.at(MEDIA, "pixel_fold").whole == (1, 20)
    assert found.at(MEDIA).missing == 39


def test_a_surplus_on_one_device_hides_no_gap_on_another() -> None:
    found = board(*[queued("Tube", "Jot")] * 30, targets=replace(ONLY_MEDIA, tasks=40))
    assert found.at(MEDIA, "pixel_fold").whole == (30, 20)
    assert found.at(MEDIA).whole == (20, 40)
    assert [tally.whole for tally in found.classes(MEDIA).values()] == [(10, 20), (10, 20)]


def test_what_lacks_most_is_the_emptiest_and_what_lacks_nothing_is_not_named() -> None:
    found = board(*[queued("Tube")] * 3, queued("Jot", devices=("small_phone",)))
    assert found.emptiest == (Cell(MEDIA, "pixel_fold", "Notes"), Cell(MEDIA, "small_phone", "Video"))


def test_a_task_for_another_catalogue_or_another_device_is_not_on_the_board() -> None:
    elsewhere = queued("Tube")
    other = TemplateLibrary((replace(TEMPLATE, catalogue="tv"),), LIBRARY.catalogues)
    assert cover([elsewhere], other, "phone", Targets(), DEVICES).at(MEDIA, "pixel_fold").there == 0.0
    assert board(queued("Tube", devices=("pixel_tablet",))).at(MEDIA, "pixel_tablet").there == 0.0


def test_a_task_of_no_template_belongs_where_its_apps_are() -> None:
    written = replace(queued("Cast").listed, template="")
    assert board(QueuedTask(written, Status.WAITING)).classes(MEDIA, "pixel_fold")["Podcasts"].open == 1.0
    strange = replace(written, task=replace(written.task, apps=("Nobody's app",)))
    assert board(QueuedTask(strange, Status.WAITING)).at(MEDIA, "pixel_fold").there == 0.0


def test_templates_that_ask_for_a_class_do_so_with_the_first_role_that_can() -> None:
    narrowed = asking_for(LIBRARY, "phone", "Notes").templates
    assert [template.roles for template in narrowed] == [(Role("video"), Role("notes", ("Jot",)))]
    assert asking_for(LIBRARY, "phone", "Podcasts").templates == ()


def test_a_template_asks_for_a_class_by_a_role_that_leaves_somebody_to_play_the_others() -> None:
    reader = CatalogueApp("Reader", "org.reader", "Reading", frozenset({"read", "listen"}))
    radio = CatalogueApp("Radio", "org.radio", "Video", frozenset({"listen"}))
    phone = Catalogue("phone", "A phone", ("Reading", "Video"), (reader, radio))
    one = replace(TEMPLATE, roles=(Role("listen"), Role("read")))
    library = TemplateLibrary((one,), {"phone": phone})
    assert [each.roles for each in asking_for(library, "phone", "Reading").templates] == [
        (Role("listen"), Role("read", ("Reader",)))
    ]


def test_a_role_that_names_its_apps_keeps_to_them() -> None:
    narrow = replace(TEMPLATE, roles=(Role("video", ("Cast", "Gone")),))
    library = TemplateLibrary((narrow,), LIBRARY.catalogues)
    assert asking_for(library, "phone", "Video").templates == ()
    assert [one.roles for one in asking_for(library, "phone", "Podcasts").templates] == [(Role("video", ("Cast",)),)]
