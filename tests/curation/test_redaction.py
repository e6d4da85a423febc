"""Redactions: what is found, what exports hide, and what stops them."""

import io
import json
import os
import re
import shutil
import tarfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from odyssey_recorder.curation.redaction import (
    REPLACEMENT,
    FoundTexts,
    SensitiveBox,
    drawn_boxes,
    find_texts,
    literally,
    read_redaction,
    write_redaction,
)
from odyssey_recorder.dataset.layout import annotation_path, redaction_path, screenshot_path, ui_tree_path
from odyssey_recorder.errors import DatasetError
from odyssey_recorder.exporting.episodes import fingerprint, read_exported
from odyssey_recorder.exporting.layouts import LAYOUTS
from tests.exporting.sample import SIZE, Dataset, export, ids, write_dataset

ONE, TWO, THREE = ids(3)
BOX = (5, 7, 20, 30)
VIEWS = """<hierarchy><node text="" content-desc="" class="android.view.View" bounds="[0,0][36,64]">
  <node text="From ADA&#10;Lovelace" class="android.widget.TextView" bounds="[-4,8][30,20]"/>
  <node text="Send" content-desc="Write to Ada Lovelace" class="android.widget.Button" bounds="[2,40][34,80]"/>
  <node text="Ada" class="android.widget.TextView" bounds="[0,0][36,4]"/>
</node></hierarchy>"""


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return Dataset(tmp_path / "data", write_dataset(tmp_path / "data", 3, texts=True))


@pytest.fixture
def root(dataset: Dataset) -> Path:
    return dataset.root


def redact(
    root: Path, episode_id: str, *, step: int | None = None, box: tuple[int, int, int, int] = BOX, text: str = ""
) -> None:
    boxes = () if step is None else tuple(drawn_boxes(root, episode_id, box, step=step, steps=8))
    words = (text,) if text else ()
    write_redaction(root, FoundTexts(boxes, words=words).redaction(episode_id, who="Ada", why="a name"))


def pixels(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def texts_in(path: Path) -> str:
    """The contents of all files but screenshots."""
    from pyarrow import parquet

    files = (one for one in sorted(path.rglob("*")) if one.is_file() and one.suffix != ".png")
    return "".join(
        str(parquet.read_table(one).to_pylist()) if one.suffix == ".parquet" else one.read_bytes().decode("latin-1")
        for one in files
    )


def released(path: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in (path / "screenshots").iterdir()}


def in_tars(path: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for file in (path / "data").iterdir():
        with tarfile.open(file) as tar:
            found |= {one.name: tar.extractfile(one).read() for one in tar if one.name.endswith(".png")}  # type: ignore[union-attr]
    return found


def in_parquet(path: Path) -> dict[str, bytes]:
    from pyarrow import parquet

    rows = [row for file in sorted((path / "data").iterdir()) for row in parquet.read_table(file).to_pylist()]
    for row in rows:
        assert row["sha256"] == sha256(row["image"]["bytes"]).hexdigest()
    return {row["image"]["path"]: row["image"]["bytes"] for row in rows}


@pytest.mark.parametrize(
    ("layout", "screenshots"), [("release", released), ("webdataset", in_tars), ("parquet", in_parquet)]
)
def test_exactly_the_pixels_of_the_box_are_hidden(
    dataset: Dataset, root: Path, tmp_path: Path, layout: str, screenshots: Callable[[Path], dict[str, bytes]]
) -> None:
    redact(root, TWO, step=3)
    name = Path(screenshot_path(TWO, 3)).name
    source = {one.name: one.read_bytes() for one in (root / "screenshots").iterdir()}

    found = screenshots(export(dataset, tmp_path / "out", layout))

    assert found.keys() == source.keys()
    assert [one for one in found if found[one] != source[one]] == [name]
    before, after = pixels(source[name]), pixels(found[name])
    left, top, right, bottom = BOX
    for x in range(SIZE.width):
        for y in range(SIZE.height):
            is_hidden = left <= x < right and top <= y < bottom
            assert after.getpixel((x, y)) == ((0, 0, 0) if is_hidden else before.getpixel((x, y)))
    assert {one.name: one.read_bytes() for one in (root / "screenshots").iterdir()} == source, "the original is kept"


def test_release_links_only_unredacted_screenshots(dataset: Dataset, root: Path, tmp_path: Path) -> None:
    redact(root, TWO, step=3)
    out = export(dataset, tmp_path / "out", "release")
    linked = {step: (out / screenshot_path(TWO, step)).samefile(root / screenshot_path(TWO, step)) for step in (2, 3)}
    assert linked == {2: True, 3: False}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_redacted_words_are_in_no_exported_text(dataset: Dataset, root: Path, tmp_path: Path, layout: str) -> None:
    path = root / annotation_path(TWO)
    tree = json.loads(path.read_text())
    tree["task_info"] |= {"instruction": "Write to ADA  lovelace.", "app": ["Ada Lovelace Mail"]}
    tree["steps"][1] |= {"info": "Dear Ada\nLovelace, 500!"}
    tree["steps"][2] |= {"context": "Ada Lovelace was called.", "own": {"notes": ["by Ada Lovelace"]}}
    tree["steps"][-1] |= {"ps": "done for Ada Lovelace"}
    path.write_text(json.dumps(tree))
    original = path.read_bytes()
    for words in ("Ada Lovelace", "500"):
        redact(root, TWO, text=words)

    out = export(dataset, tmp_path / "out", layout)

    whole = texts_in(out)
    assert re.search("lovelace", whole, re.IGNORECASE) is None
    assert f"Dear {REPLACEMENT}, {REPLACEMENT}!" in whole
    if layout == "release":
        steps = json.loads((out / annotation_path(TWO)).read_text())["steps"]
        assert steps[0]["ps"] == "[(500, 250)]", "positions are not texts"
        assert steps[2]["own"] == {"notes": [f"by {REPLACEMENT}"]}
    assert path.read_bytes() == original


def test_redaction_changes_the_fingerprint_reproducibly(dataset: Dataset, root: Path, tmp_path: Path) -> None:
    bare = fingerprint(root, [ONE, TWO])
    redact(root, TWO, step=3)
    first = fingerprint(root, [ONE, TWO])
    sums = [(export(dataset, tmp_path / name, "release") / "SHA256SUMS").read_text() for name in ("a", "b")]
    redact(root, TWO, text="milk")
    assert len({bare, first, fingerprint(root, [ONE, TWO])}) == 3
    assert sums[0] == sums[1]


def test_new_redaction_restarts_an_interrupted_export(dataset: Dataset, root: Path, tmp_path: Path) -> None:
    last = root / screenshot_path(THREE, 0)
    last.rename(root / "aside")
    with pytest.raises(DatasetError):
        export(dataset, tmp_path / "out", "webdataset")
    journal = (tmp_path / "out.part" / "export.jsonl").read_text()
    assert "episodes-000000.tar" in journal, "the first episode is there as it was"
    (root / "aside").rename(last)
    redact(root, ONE, step=3)
    found = in_tars(export(dataset, tmp_path / "out", "webdataset"))
    assert found[f"{ONE}_3.png"] != (root / screenshot_path(ONE, 3)).read_bytes()


def missing(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def missing_folder(path: Path) -> None:
    path.unlink()
    path.parent.rmdir()
    path.parent.symlink_to("nowhere")


def named_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def edited(old: str, new: str) -> Callable[[Path], None]:
    def edit(path: Path) -> None:
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    return edit


def rewritten(**keys: object) -> Callable[[Path], object]:
    return lambda path: path.write_text(json.dumps({"episode_id": TWO, **keys}))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "wrong key": edited('"boxes"', '"boxs"'),
    "newer format": edited('"format": 1', '"format": 2'),
    "other episode": edited(TWO, ONE),
    "empty": rewritten(),
    "blank words": rewritten(words=[{"text": " ", "who": "", "why": "", "at": "2026-01-01Z"}]),
    "no such step": edited('"step": 3', '"step": 8'),
    "other screenshot": edited('"step": 3', '"step": 4'),
    "box outside": edited("30\n", "65\n"),
    "box inside out": edited("5,\n        7", "20,\n        7"),
    "missing": missing,
    "missing folder": missing_folder,
    "named pipe": named_pipe,
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "changed screenshot": lambda path: shutil.copy(
        path.parents[1] / screenshot_path(TWO, 4), path.parents[1] / screenshot_path(TWO, 3)
    ),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_invalid_redaction_stops_the_export(
    dataset: Dataset, root: Path, tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    redact(root, TWO, step=3)
    damage(root / redaction_path(TWO))

    for layout in ("release", "webdataset"):
        with pytest.raises(DatasetError, match="redact"):
            export(dataset, tmp_path / layout, layout)
        assert not (tmp_path / layout).exists()


def test_screenshot_metadata_is_removed(root: Path) -> None:
    metadata = PngInfo()
    metadata.add_text("Comment", "Ada Lovelace")
    path = root / screenshot_path(TWO, 3)
    Image.open(path).convert("RGB").save(path, pnginfo=metadata, icc_profile=b"Grace Hopper")
    assert b"Ada Lovelace" in path.read_bytes()
    redact(root, TWO, step=3)
    with Image.open(io.BytesIO(read_exported(root, TWO).screenshot(3))) as image:
        assert image.info == {}


def test_redactions_accumulate(root: Path) -> None:
    redact(root, TWO, step=3)
    redact(root, TWO, text="milk")
    redact(root, TWO, step=4, box=(0, 0, 1, 1))
    redaction = read_redaction(root, TWO)
    assert redaction is not None
    assert [one.step for one in redaction.boxes] == [3, 4]
    assert [one.text for one in redaction.words] == ["milk"]
    assert read_redaction(root, ONE) is None


@pytest.mark.parametrize("box", [(0, 0, 37, 64), (0, 0, 36, 65), (-1, 0, 5, 5), (5, 5, 5, 9), (9, 9, 5, 20)])
def test_box_outside_the_screenshot_is_rejected(root: Path, box: tuple[int, int, int, int]) -> None:
    with pytest.raises(DatasetError, match="is not on the screenshot of 36x64"):
        list(drawn_boxes(root, TWO, box, step=3, steps=8))


def test_box_applies_to_every_step_with_the_same_screenshot(root: Path) -> None:
    for step in (3, 6):
        (root / screenshot_path(TWO, step)).write_bytes((root / screenshot_path(ONE, 3)).read_bytes())
    assert [one.step for one in drawn_boxes(root, TWO, BOX, step=6, steps=8)] == [3, 6]


def test_words_are_hidden_in_every_unicode_form(root: Path) -> None:
    path = root / annotation_path(TWO)
    path.write_text(path.read_text().replace("milk", "Zoe\u0308 Andr\u00e9"))
    redact(root, TWO, text="zo\u00eb andre\u0301")
    assert REPLACEMENT in json.dumps(read_exported(root, TWO).tree)


def test_texts_are_found_in_view_hierarchies_and_annotation(root: Path) -> None:
    (root / "ui_trees").mkdir()
    (root / ui_tree_path(TWO, 1)).write_text(VIEWS)
    (root / ui_tree_path(TWO, 2)).write_text("no XML")
    annotation = read_exported(root, TWO).tree
    task = annotation["task_info"]
    assert isinstance(task, dict)
    task["instruction"] = "Write to ada  lovelace"

    found = find_texts(root, TWO, annotation, re.compile(literally("Ada Lovelace"), re.IGNORECASE))

    digest = sha256((root / screenshot_path(TWO, 1)).read_bytes()).hexdigest()
    assert found.boxes == (
        SensitiveBox(1, (0, 8, 30, 20), digest, 360 / 2304, "From ADA\nLovelace"),
        SensitiveBox(1, (2, 40, 34, 64), digest, 768 / 2304, "Send Write to Ada Lovelace"),
    )
    assert found.texts == {"task_info.instruction": "Write to ada  lovelace"}
    assert [one.casefold() for one in found.words] == ["ada lovelace"]
    assert found.unseen == (0, 2, 3, 4, 5, 6, 7)
