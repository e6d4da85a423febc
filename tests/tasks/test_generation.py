import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.errors import TaskError
from odyssey_recorder.model.assignment import CleanHome
from odyssey_recorder.model.episode import Category, TaskInfo
from odyssey_recorder.model.text_origin import TextOrigin, Writer
from odyssey_recorder.tasks.generation.generator import GeneratedTasks, GenerationOrder, Targets, generate, left
from odyssey_recorder.tasks.listing import ListedTask, parse_task_line, task_line
from odyssey_recorder.tasks.templates.filling import gaps_in, identity
from odyssey_recorder.tasks.templates.template import DaySlotRange, Items, Template, TemplateLibrary
from tests.tasks.templates import catalogue_of, library_of, many, one_per_category, template_of

DAY = date(2026, 12, 1)
GENERAL, SHOPPING, SOCIAL = Category.GENERAL_TOOL, Category.WEB_SHOPPING, Category.SOCIAL_SHARING
DEVICES = ("pixel_fold", "pixel_7_pro", "small_phone")


def generated(library: TemplateLibrary, count: int, **more: object) -> GeneratedTasks:
    return generate(library, GenerationOrder(count, seed=1, day=DAY, **more))  # type: ignore[arg-type]


def categories(tasks: Iterable[ListedTask]) -> Counter[str]:
    return Counter(task.task.category for task in tasks)


def identities(tasks: Iterable[ListedTask]) -> frozenset[str]:
    return frozenset(identity(task.task.task) for task in tasks)


def task_without_template(words: str) -> ListedTask:
    """A task that names no template."""
    return ListedTask(words, TaskInfo(GENERAL.value, ("Memo",), words, words, words))


def test_generated_task_records_the_origin_of_its_text() -> None:
    template = replace(
        template_of("buy", slots={"item": Items(("a lamp",)), "when": DaySlotRange(3, 3, "date")}, devices=DEVICES[:2]),
        start=CleanHome(),
        notes="Any lamp will do.",
    )
    library = library_of(template, catalogue=catalogue_of(shop=("Bazaar",), notes=("Memo",)))
    (task,) = generated(library, 1).tasks
    assert re.fullmatch(r"buy-[0-9a-f]{12}", task.task_id)
    assert task.task.instruction in (
        "Please buy a lamp and 4 December in Bazaar and Memo.",
        "In Bazaar and Memo, buy a lamp and 4 December.",
    )
    assert task == ListedTask(
        task_id=task.task_id,
        task=TaskInfo(
            category="Web_Shopping",
            apps=("Bazaar", "Memo"),
            meta_task="buy {item} and {when}",
            task="buy a lamp and 4 December",
            instruction=task.task.instruction,
        ),
        item="a lamp; 4 December",
        devices=DEVICES[:2],
        start=CleanHome(),
        notes="Any lamp will do.",
        due=date(2026, 12, 3),
        template="buy",
        slots={"item": "a lamp", "when": "4 December"},
        roles={"shop": "Bazaar", "notes": "Memo"},
        text=TextOrigin(Writer.PHRASING, names_apps=True),
    )


def test_apps_are_not_named_when_disabled() -> None:
    (task,) = generated(library_of(template_of()), 1, names_apps=False).tasks
    assert not any(app in task.task.instruction for app in task.task.apps)
    assert task.text == TextOrigin(Writer.PHRASING, names_apps=False)


def test_generated_tasks_survive_writing_and_reading() -> None:
    tasks = generated(one_per_category(), 100, targets=Targets(devices=dict.fromkeys(DEVICES, 1.0))).tasks
    assert tuple(parse_task_line(task_line(task)) for task in tasks) == tasks


def test_task_ids_do_not_depend_on_the_seed() -> None:
    template = template_of(slots={"item": many(20)})
    one, other = (generate(library_of(template), GenerationOrder(20, seed, DAY)).tasks for seed in (1, 2))
    assert [task.task_id for task in one] != [task.task_id for task in other]
    assert {task.task.task: task.task_id for task in one} == {task.task.task: task.task_id for task in other}


@given(st.lists(st.integers(1, 12), min_size=1, max_size=5), st.integers(0, 60), st.integers())
def test_requested_number_of_distinct_tasks_is_generated(sizes: list[int], count: int, seed: int) -> None:
    templates = [template_of(f"t{number}", slots={"item": many(size)}) for number, size in enumerate(sizes)]
    batch = generate(library_of(*templates), GenerationOrder(count, seed, DAY))
    assert len(identities(batch.tasks)) == len({task.task_id for task in batch.tasks}) == len(batch.tasks)
    assert len(batch.tasks) == min(count, sum(sizes))
    assert batch.left[SHOPPING] == sum(sizes) - len(batch.tasks)
    assert all(gaps_in(task.task.task) == gaps_in(task.task.instruction) == () for task in batch.tasks)


@given(st.integers(0, 40), st.integers(), st.integers())
def test_known_tasks_are_never_generated_again(count: int, seed: int, other: int) -> None:
    library = one_per_category(items=8)
    first = generate(library, GenerationOrder(count, seed, DAY)).tasks
    rest = generate(library, GenerationOrder(100, other, DAY, have=first))
    assert identities(first).isdisjoint(identities(rest.tasks))
    assert len(first) + len(rest.tasks) == 48
    assert set(rest.left.values()) == {0}


def test_task_of_two_templates_is_generated_once() -> None:
    one = template_of("find", slots={"item": Items(("a lamp", "a chair"))})
    other = replace(one, template_id="seek", slots={"item": Items(("a chair", "A  Lamp"))})
    batch = generated(library_of(one, other), 9)
    assert len(batch.tasks) == 2
    assert batch.left[SHOPPING] == 0


_SCRIPT = """
from datetime import date, timedelta
from odyssey_recorder.tasks.generation.generator import GenerationOrder, Targets, generate
from odyssey_recorder.tasks.listing import task_line
from tests.tasks.templates import one_per_category
targets = Targets(devices={"pixel_fold": 1, "pixel_7_pro": 1, "small_phone": 2})
order = GenerationOrder(120, 1, date(2026, 12, 1), targets=targets)
for task in generate(one_per_category(), order).tasks:
    print(task_line(task))
"""


def test_same_order_gives_the_same_tasks_in_every_process() -> None:
    another = {**os.environ, "PYTHONHASHSEED": "4711", "PYTHONPATH": str(Path(__file__).parents[2])}
    output = subprocess.run(
        [sys.executable, "-c", _SCRIPT], env=another, capture_output=True, text=True, check=True, timeout=60
    ).stdout
    targets = Targets(devices={"small_phone": 2, "pixel_fold": 1, "pixel_7_pro": 1})
    assert output.splitlines() == [
        task_line(task) for task in generated(one_per_category(), 120, targets=targets).tasks
    ]


def test_longer_order_begins_with_the_tasks_of_a_shorter_one() -> None:
    library = one_per_category()
    assert generated(library, 40).tasks[:25] == generated(library, 25).tasks


def test_categories_are_proportional_to_their_targets() -> None:
    targets = Targets(categories={GENERAL: 3, SHOPPING: 1, SOCIAL: 0})
    assert categories(generated(one_per_category(100), 80, targets=targets).tasks) == {
        "General_Tool": 60,
        "Web_Shopping": 20,
    }


def test_existing_tasks_count_towards_the_category_targets() -> None:
    library = one_per_category(100)
    have = generated(library, 20, categories={GENERAL}).tasks
    batch = generated(library, 40, have=have, categories={GENERAL, SHOPPING})
    assert categories(batch.tasks) == {"General_Tool": 10, "Web_Shopping": 30}
    assert identities(have).isdisjoint(identities(batch.tasks))
    assert batch.left[GENERAL] == 70


def test_existing_tasks_without_a_known_template_do_not_count() -> None:
    library = one_per_category(100)
    (task,) = generated(library, 1, categories={GENERAL}).tasks
    foreign = [
        replace(task, task_id=f"f-{number}", template="", task=replace(task.task, category="Games"))
        for number in range(9)
    ]
    batch = generated(library, 60, have=(*foreign, replace(task, template="on_another_phone")))
    assert categories(batch.tasks) == {one.value: 10 for one in Category}


def test_exhausted_category_leaves_its_share_to_the_others() -> None:
    few = template_of("few", GENERAL, slots={"item": many(3)}, roles=("shop",))
    library = library_of(few, *(template_of(one.value, one, slots={"item": many(50)}) for one in (SHOPPING, SOCIAL)))
    batch = generated(library, 43)
    assert categories(batch.tasks) == {"General_Tool": 3, "Web_Shopping": 20, "Social_Sharing": 20}
    assert (batch.left[GENERAL], batch.left[SHOPPING], batch.left[SOCIAL]) == (0, 30, 30)


def test_templates_of_a_category_are_used_equally_often() -> None:
    templates = [template_of(f"t{number}", slots={"item": many(40)}) for number in range(7)]
    have = generated(library_of(templates[0]), 5).tasks
    used = Counter(task.template for task in generated(library_of(*templates), 65, have=have).tasks)
    assert used == {"t0": 5, **{f"t{number}": 10 for number in range(1, 7)}}


def test_phrasings_of_a_template_are_used_equally_often() -> None:
    texts = [task.task.instruction for task in generated(library_of(template_of(slots={"item": many(60)})), 60).tasks]
    assert Counter(text.split()[0] for text in texts) == {"Please": 30, "In": 30}


def test_apps_of_a_role_are_balanced_with_existing_tasks() -> None:
    library = one_per_category(100)
    few = library_of(*library.templates, catalogue=catalogue_of(shop=("Bazaar",), notes=("Memo",)))
    have = generated(few, 40).tasks
    used = Counter(app for task in (*have, *generated(library, 80, have=have).tasks) for app in task.task.apps)
    assert used == {"Bazaar": 40, "Market": 40, "Mall": 40, "Memo": 60, "Jotter": 60}


def test_role_with_a_single_app_keeps_it() -> None:
    catalogue = catalogue_of(wide=("Abacus", "Bazaar", "Clipper"), narrow=("Abacus",), middle=("Bazaar", "Abacus"))
    template = template_of("do", Category.MULTI_APPS, slots={"item": many(20)}, roles=("wide", "middle", "narrow"))
    for task in generated(library_of(template, catalogue=catalogue), 20).tasks:
        assert task.task.apps == ("Clipper", "Bazaar", "Abacus")
        assert list(task.roles) == ["wide", "middle", "narrow"]


def test_app_needed_by_another_role_does_not_upset_the_balance() -> None:
    catalogue = catalogue_of(wide=("Abacus", "Bazaar", "Clipper"), narrow=("Abacus",))
    template = template_of(slots={"item": many(20)}, roles=("wide", "narrow"))
    tasks = generated(library_of(template, catalogue=catalogue), 20).tasks
    assert Counter(task.roles["wide"] for task in tasks) == {"Bazaar": 10, "Clipper": 10}


def test_roles_competing_for_the_same_apps_can_all_be_filled() -> None:
    catalogue = catalogue_of(a=("One", "Two"), b=("Two", "Three"), c=("One", "Three"))
    template = template_of("do", Category.MULTI_APPS, slots={"item": many(40)}, roles=("a", "b", "c"))
    tasks = generated(library_of(template, catalogue=catalogue), 40).tasks
    assert {task.task.apps for task in tasks} == {("One", "Two", "Three"), ("Two", "Three", "One")}


def test_each_task_gets_one_device_in_proportion_to_the_targets() -> None:
    targets = Targets(devices={"pixel_fold": 2, "pixel_7_pro": 1, "small_phone": 1, "pixel_tablet": 0})
    tasks = generated(one_per_category(100), 240, targets=targets).tasks
    of_each = {("pixel_fold",): 120, ("pixel_7_pro",): 60, ("small_phone",): 60}
    assert Counter(task.devices for task in tasks) == of_each
    for (_, (device,)), count in Counter((task.task.category, task.devices) for task in tasks).items():
        assert abs(count - (20 if device == "pixel_fold" else 10)) <= 1


def test_template_is_used_only_for_its_devices() -> None:
    folding = template_of("fold", slots={"item": many(20)}, devices=("pixel_fold",))
    library = library_of(folding, template_of("any", slots={"item": many(20)}))
    tasks = generated(library, 20, targets=Targets(devices=dict.fromkeys(DEVICES[:2], 1.0))).tasks
    assert {task.devices for task in tasks if task.template == "fold"} == {("pixel_fold",)}
    assert Counter(task.devices for task in tasks) == {("pixel_fold",): 10, ("pixel_7_pro",): 10}
    assert {task.template: task.devices for task in generated(library, 20).tasks} == {
        "fold": ("pixel_fold",),
        "any": (),
    }
    elsewhere = generated(library_of(folding), 3, targets=Targets(devices={"small_phone": 1}))
    assert (elsewhere.tasks, elsewhere.left[SHOPPING]) == ((), 0)


def test_devices_are_balanced_across_categories_and_existing_tasks() -> None:
    library = one_per_category(100)
    tasks = generated(library, 6, targets=Targets(devices=dict.fromkeys(DEVICES, 1.0))).tasks
    assert Counter(task.devices for task in tasks) == {(device,): 2 for device in DEVICES}
    have = generated(library, 60, targets=Targets(devices={"pixel_fold": 1})).tasks
    tasks = generated(library, 60, have=have, targets=Targets(devices={"pixel_fold": 1, "small_phone": 1})).tasks
    assert {task.devices for task in tasks} == {("small_phone",)}


def test_remaining_tasks_are_counted_per_template() -> None:
    few = template_of("few", slots={"item": many(4)})
    dated = template_of("dated", slots={"item": many(3), "when": DaySlotRange(1, 2, "date")})
    library = library_of(few, dated)
    assert left(library, (), DAY) == {"few": 4, "dated": 6}
    tasks = generated(library, 5).tasks
    used = Counter(task.template for task in tasks)
    others = [task_without_template("Few thing 9"), task_without_template("Something else")]
    still = {"few": 4 - used["few"], "dated": 6 - used["dated"]}
    assert left(library, [*tasks, *tasks, *others], DAY) == still
    assert left(library, [task_without_template(task.task.task.upper()) for task in tasks], DAY) == still
    assert left(library, tasks, date(2027, 1, 1))["dated"] == 6


def test_tasks_that_a_template_no_longer_gives_are_not_subtracted() -> None:
    before = template_of("few", slots={"item": many(4)})
    tasks = generated(library_of(before), 4).tasks
    fewer = replace(before, slots={"item": many(3)})
    other = replace(before, meta_task="Quite different: {item}")
    assert left(library_of(fewer), tasks, DAY) == {"few": 0}
    assert left(library_of(other), tasks, DAY) == {"few": 4}


def test_tasks_are_recognized_with_gaps_at_the_start_or_inside_words() -> None:
    def begins(template_id: str, meta_task: str) -> Template:
        return replace(template_of(template_id, slots={"item": many(3)}), meta_task=meta_task)

    library = library_of(
        begins("gap", "{item} it is"), begins("word", "re{item} now"), begins("other", "re play {item}")
    )
    tasks = map(task_without_template, ("thing 1 it is", "rething 2 now", "re play thing 0", "re play thing 9"))
    assert left(library, tasks, DAY) == {"gap": 2, "word": 2, "other": 2}


@pytest.mark.parametrize("day", [date.max, date.min])
def test_day_at_the_calendar_limits_is_rejected(day: date) -> None:
    template = template_of("dated", slots={"when": DaySlotRange(0, 365, "date")})
    with pytest.raises(TaskError, match=f"cannot begin on {day}: tasks would name days outside the calendar"):
        generate(library_of(template), GenerationOrder(1, seed=1, day=day))
    for near in (date.max - timedelta(366), date.min + timedelta(366)):
        assert len(generate(library_of(template), GenerationOrder(366, seed=1, day=near)).tasks) == 365


def test_unknown_catalogue_is_rejected() -> None:
    with pytest.raises(TaskError, match='No catalogue is named "ios"; choose android'):
        generated(one_per_category(), 1, catalogue="ios")


@pytest.mark.parametrize("share", [-1, float("nan"), float("inf")])
def test_invalid_target_is_rejected(share: float) -> None:
    with pytest.raises(TaskError, match="The target of pixel_fold is"):
        generated(one_per_category(), 1, targets=Targets(devices={"pixel_fold": share}))
