"""Folders of templates: the resulting library, and error messages."""

from pathlib import Path

import pytest

from odyssey_recorder.errors import TaskError
from odyssey_recorder.model.assignment import CleanHome
from odyssey_recorder.model.episode import Category
from odyssey_recorder.tasks.templates.template import CatalogueApp, DaySlotRange, Items, Numbers, Role
from odyssey_recorder.tasks.templates.template_files import load_library, read_library
from tests.tasks.templates import APPS, POOL, TEMPLATE, folder_of

LISTEN = "Media_Entertainment/listen.yaml"
ITEMS = "[a podcast on yoga, a course on chess]"
COUNT = '{from: 2, to: 4, words: "{} ideas"}'
META = "write down {count}\nslots"
SECOND = "down {count} from {item}."


def problems_of(folder: Path, name: str = LISTEN) -> list[tuple[int, str, str]]:
    """The problems of one file: line, key and message."""
    problems = read_library([folder]).problems
    assert {problem.source for problem in problems} <= {folder / name}
    return [(problem.line, problem.key, problem.message) for problem in problems]


def replaced(before: str, after: str) -> str:
    """The template with a replacement that must match."""
    assert before in TEMPLATE
    return TEMPLATE.replace(before, after, 1)


def test_template_holds_everything_in_its_file(tmp_path: Path) -> None:
    more = "devices: [pixel_fold]\nstart: clean_home\nnotes: >\n  Any will do;\n  listen.\n"
    (template,) = load_library([folder_of(tmp_path, {LISTEN: TEMPLATE + more})]).templates
    assert (template.template_id, template.category) == ("listen", Category.MEDIA_ENTERTAINMENT)
    assert template.meta_task == "Listen to {item} and write down {count}"
    assert template.slots == {
        "item": Items(("a podcast on yoga", "a course on chess")),
        "count": Numbers(2, 4, 1, "{} ideas"),
    }
    assert template.roles == (Role("podcast"), Role("notes", ("Notes",)))
    assert template.phrasings[1] == "Write down {count} from {item}."
    assert template.named_phrasings[1] == "In {notes}, write down {count} from {item} in {podcast}."
    assert (template.catalogue, template.devices, template.start) == ("android", ("pixel_fold",), CleanHome())
    assert template.notes == "Any will do; listen."
    assert template.source == tmp_path / LISTEN


def test_slots_can_use_pools_and_days(tmp_path: Path) -> None:
    slots = "item: {pools: [cities, isles]}\n  count: {days: [1, 6], words: weekday}"
    text = replaced('item: [a podcast on yoga, a course on chess]\n  count: {from: 2, to: 4, words: "{} ideas"}', slots)
    isles = "items: [kyoto, Madeira]\n"
    (template,) = load_library([folder_of(tmp_path, {LISTEN: text, "pools/isles.yaml": isles})]).templates
    assert template.slots == {"item": Items(("Lisbon", "Kyoto", "Madeira")), "count": DaySlotRange(1, 6, "weekday")}


def test_catalogue_keeps_the_order_of_its_apps(tmp_path: Path) -> None:
    catalogue = load_library([folder_of(tmp_path)]).catalogues["android"]
    assert (catalogue.title, catalogue.classes) == ("Apps of the tests", ("Reading", "Writing"))
    assert catalogue.apps[0] == CatalogueApp("Listen", "org.example.listen", "Reading", frozenset({"podcast"}))
    assert [app.name for app in catalogue.that_play("podcast")] == ["Listen", "YouTube"]


def test_user_folder_extends_the_shipped_templates(tmp_path: Path) -> None:
    def asking_for(words: str) -> str:
        return replaced("Listen to", words)

    files = {"Web_Shopping/a.yaml": asking_for("Buy"), "Media_Entertainment/b.yaml": asking_for("Hear")}
    with_pools = asking_for("Read").replace(ITEMS, "{pools: [cities, birds]}")
    own = {"Information_Management/z.yaml": with_pools, "pools/birds.yaml": "items: [a robin]\n"}
    for name, text in own.items():
        (tmp_path / "user" / name).parent.mkdir(parents=True)
        (tmp_path / "user" / name).write_text(text)
    library = load_library([folder_of(tmp_path / "shipped", files), tmp_path / "user"])
    assert [template.template_id for template in library.templates] == ["z", "b", "listen", "a"]
    assert library.templates[0].slots["item"] == Items(("Lisbon", "Kyoto", "a robin"))


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        ("meta_task: ", "metatask: ", (1, "metatask", "there is no such key")),
        ("meta_task: Listen to {item} and write down {count}\n", "", (1, "meta_task", "is missing")),
        ("meta_task: Listen", "meta_task: {} Listen", (1, "", "invalid YAML")),
        (META, "write down {counts}\nslots", (1, "meta_task", "there is no slot for the gap {counts}")),
        (META, "write down\nslots", (4, "slots.count", "meta_task has no gap {count}")),
        (META, "write down {count} {}\nslots", (1, "meta_task", "a gap is a lower-case name in braces")),
        (ITEMS, "[]", (3, "slots.item", "has no items")),
        ("a course on chess]", "A  podcast on Yoga]", (3, "slots.item.1", '"A podcast on Yoga" is listed twice')),
        ("a course on chess]", '"a {course}"]', (3, "slots.item.1", '"a {course}" cannot contain braces')),
        ("a course on chess]", '""]', (3, "slots.item.1", "must not be empty")),
        ("a course on chess]", "[x]]", (3, "slots.item.1", "must be a text")),
        (ITEMS, "{pools: [towns]}", (3, "slots.item.pools.0", 'there is no file "towns.yaml"')),
        (ITEMS, "{pool: cities}", (3, "slots.item", "a slot is a list")),
        (ITEMS, "yoga", (3, "slots.item", "a slot is a list")),
        ("from: 2", "from: two", (4, "slots.count.from", "must be a whole number")),
        ("from: 2, ", "", (4, "slots.count.from", "is missing")),
        ("to: 4", "to: 1", (4, "slots.count.to", "must not be less than 2")),
        ("to: 4", "to: 20000", (4, "slots.count.to", "no more than 10,000 numbers")),
        ("to: 4", "to: 4, step: 0", (4, "slots.count.step", "must be 1 or more")),
        ('"{} ideas"', "some ideas", (4, "slots.count.words", "must contain {} once")),
        ('"{} ideas"', '"{} ideas {x}"', (4, "slots.count.words", "must contain {} once")),
        (COUNT, "{days: [3, 1]}", (4, "slots.count.days", "relative days must be 0 to 365")),
        (COUNT, "{days: [1]}", (4, "slots.count.days.1", "is missing")),
        (COUNT, "{days: [1, 8], words: weekday}", (4, "slots.count.days", "weekday days must be 1 to 7")),
        (COUNT, "{days: [0, 8], words: date}", (4, "slots.count.days", "date days must be 1 to 365")),
        (COUNT, "{days: [0, 8], words: soon}", (4, "slots.count.words", "input should")),
        ("  podcast: any\n", "", (5, "roles", "Media_Entertainment asks for 2 or more different apps, and there is 1")),
        ("podcast: any", "Podcast: any", (6, "roles.Podcast", "a role is a lower-case word")),
        ("podcast: any", "item: any", (6, "roles.item", "a slot has the same name: {item} could be either")),
        ("podcast: any", "podcast: some", (6, "roles.podcast", "input should be 'any'")),
        ("podcast: any", "podcast: []", (6, "roles.podcast", "has too few entries")),
        ("podcast: any", "weather: any", (6, "roles.weather", "no app of the catalogue android plays this role")),
        ("notes: [Notes]", "notes: [Notes, Jotter]", (7, "roles.notes.1", 'the catalogue android has no app "Jotter"')),
        ("notes: [Notes]", "notes: [Notes, Notes]", (7, "roles.notes.1", '"Notes" is listed twice')),
        ("  - I want {count} out of {item}, written down.\n", "", (8, "phrasings", "there must be 3 or more, not 2")),
        (SECOND, "down {count}.", (10, "phrasings.1", "the gap {item} is missing")),
        (SECOND, "{count} from {item} by {hand}.", (10, "phrasings.1", "{hand} is not a slot")),
        (SECOND, "{count} from {item} in {notes}.", (10, "phrasings.1", "{notes} names an app")),
        (f"Write {SECOND}", "put {item} on  and write down {count}.", (10, "phrasings.1", "says the same")),
        (SECOND, "down {count} from {item} in Notes.", (10, "phrasings.1", 'names the app "Notes"')),
        ("Listen to", "Listen on youtube to", (1, "meta_task", 'names the app "YouTube"')),
        (" in {podcast} and", " and", (13, "named_phrasings.0", "the gap {podcast} is missing")),
        (SECOND, "{count} from {item} for yourself.", (10, "phrasings.1", '"yourself" does not say who')),
        (f"Write {SECOND}", "Mail {count} from {item} to me.", (10, "phrasings.1", '"Mail {count} from {item} to me"')),
        (SECOND, "{count} of {item}, put that in a note.", (10, "phrasings.1", '"put that in" does not say what')),
        ("  item: [", "  Item: [", (3, "slots.Item", "a slot name is a lower-case word")),
        (COUNT, "[a course on chess, a song]", (4, "slots.count", 'shares "a course on chess" with {item}')),
        ("podcast: any", "podcast: [Notes]", (5, "roles", "the catalogue android has too few apps")),
        ("phrasings:", "devices: [pixel_9]\nphrasings:", (8, "devices.0", "there is no device profile of this name")),
        ("phrasings:", "start: anywhere\nphrasings:", (8, "start", 'expected "as_found"')),
        ("phrasings:", "catalogue: ios\nphrasings:", (8, "catalogue", 'there is no file "ios.yaml" in apps')),
    ],
)  # fmt: skip
def test_invalid_template_is_reported_with_line_and_key(
    tmp_path: Path, before: str, after: str, fault: tuple[int, str, str]
) -> None:
    *place, words = fault
    problems = problems_of(folder_of(tmp_path, {LISTEN: replaced(before, after)}))
    assert [there for *there, said in problems if said.startswith(words)] == [place]


def test_slots_that_share_items_need_one_item_each(tmp_path: Path) -> None:
    text = replaced(ITEMS, "[a song]")
    text = text.replace(COUNT, "[a song]")
    words = "too few items for the slots that share them"
    assert problems_of(folder_of(tmp_path, {LISTEN: text})) == [(3, "slots.item", words), (4, "slots.count", words)]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Web_Shopping/listen.yaml", "{} has the same name; give it another"),
        ("Media_Entertainment/what is it.yaml", '"what is it" is not a valid id'),
    ],
)
def test_duplicate_or_invalid_template_name_is_reported(tmp_path: Path, name: str, words: str) -> None:
    read = read_library([folder_of(tmp_path, {name: replaced("Listen to", "Buy")})])
    (problem,) = read.problems
    assert problem.source == tmp_path / name
    assert problem.message.startswith(words.format(tmp_path / LISTEN))
    assert [template.template_id for template in read.library.templates][:1] == ["listen"]


def test_user_folder_cannot_replace_a_file(tmp_path: Path) -> None:
    shipped, user = folder_of(tmp_path / "shipped"), folder_of(tmp_path / "user")
    read = read_library([shipped, user])
    assert len(read.library.templates) == 1
    assert {problem.source for problem in read.problems} == {
        user / LISTEN, user / "apps/android.yaml", user / "pools/cities.yaml",
    }  # fmt: skip
    assert all("has the same name" in problem.message for problem in read.problems)


def test_equivalent_templates_are_reported(tmp_path: Path) -> None:
    again = {"Media_Entertainment/other.yaml": TEMPLATE.replace("{item}", "{thing}").replace("item:", "thing:")}
    (problem,) = read_library([folder_of(tmp_path, again)]).problems
    assert (problem.line, problem.key) == (1, "meta_task")
    assert problem.message.startswith("asks for the same as listen")


def test_pool_errors_are_reported_once(tmp_path: Path) -> None:
    text = replaced(ITEMS, "{pools: [cities]}")
    read = read_library([folder_of(tmp_path, {LISTEN: text, "pools/cities.yaml": POOL + "- lisbon\n- '{x}'\n"})])
    assert [(problem.source.stem, problem.line, problem.key) for problem in read.problems] == [
        ("cities", 4, "items.2"),
        ("cities", 5, "items.3"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        ("name: Clock", "name: listen", (5, "apps.1.name", "the same as on line 4")),
        ("org.example.clock", "org.example.listen", (5, "apps.1.package", "the same as on line 4")),
        ("org.example.clock", "clock", (5, "apps.1.package", "a package is words with dots between them")),
        ("class: Other", "class: Games", (5, "apps.1.class", '"Games" is not one of the classes')),
        ("name: Clock", "name: Clock!", (5, "apps.1.name", "ends with a punctuation mark")),
        ("roles: [clock]", "roles: [Clock]", (5, "apps.1.roles.0", "a role is a lower-case word")),
        ("class: Other, ", "", (5, "apps.1.class", "is missing")),
        ("title: Apps of the tests\n", "", (1, "title", "is missing")),
    ],
)
def test_catalogue_errors_are_reported(tmp_path: Path, before: str, after: str, fault: tuple[int, str, str]) -> None:
    assert before in APPS
    folder = folder_of(tmp_path, {"apps/android.yaml": APPS.replace(before, after)})
    ((*place, words),) = problems_of(folder, "apps/android.yaml")
    assert place == [*fault[:2]]
    assert words.startswith(fault[2])


def test_files_that_would_be_ignored_are_reported(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"Games/chess.yaml": TEMPLATE, "pools/isles.yml": POOL})
    (folder / ".git").mkdir()
    problems = {problem.source.name: problem.message for problem in read_library([folder]).problems}
    assert problems["Games"].startswith("not read: the folder must be one of General_Tool, ")
    assert problems["isles.yml"] == "not read: the file extension must be .yaml"
    assert len(problems) == 2


def test_unreadable_file_is_reported(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (folder / LISTEN).write_bytes(b"meta_task: \xff\n")
    (folder / "pools/empty.yaml").write_text("")
    (folder / "pools/folder.yaml").mkdir()
    assert {problem.source.name: problem.message for problem in read_library([folder]).problems} == {
        "listen.yaml": "cannot be read: it is not UTF-8 text",
        "empty.yaml": "must be a mapping",
        "folder.yaml": "cannot be read: it is a folder, not a file. Move it away",
    }


def test_missing_folder_or_invalid_library_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="No template folder"):
        read_library([tmp_path / "nowhere"])
    folder = folder_of(tmp_path, {LISTEN: replaced("from: 2", "from: two")})
    with pytest.raises(TaskError) as told_so:
        load_library([folder])
    assert str(told_so.value) == f"{folder / LISTEN}:4: slots.count.from: must be a whole number."
