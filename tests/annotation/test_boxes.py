"""Boxes of touched elements from view hierarchies and SAM2: finding, choosing and storing them."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import product
from pathlib import Path

import numpy as np
import onnx
import pytest
from PIL import Image

from odyssey_recorder.annotation.boxes import (
    ElementBox,
    PressBoxes,
    agreement,
    hierarchy_box,
    press_boxes,
    widening,
)
from odyssey_recorder.annotation.sam2 import PUBLISHED, SUMS, MaskBox, Sam2, best, record
from odyssey_recorder.annotation.semantics import FoundBox, SemanticsStore
from odyssey_recorder.annotation.text_kinds import BoxSource
from odyssey_recorder.checking.evidence import StepEvidence
from odyssey_recorder.dataset.amending import on_grid
from odyssey_recorder.dataset.layout import screenshot_path, semantics_path
from odyssey_recorder.dataset.lenient import LenientStep
from odyssey_recorder.dataset.provenance import StrokeRecord
from odyssey_recorder.device.view_hierarchy import LARGEST_SHARE, parse
from odyssey_recorder.errors import SettingsError
from odyssey_recorder.exporting.episodes import read_exported, step_rows
from odyssey_recorder.model.action import Click, Complete
from odyssey_recorder.model.episode import StepAnnotations
from odyssey_recorder.model.geometry import Box, Pixel, Size, to_grid
from odyssey_simulator.profile import profile_named
from odyssey_simulator.shell.uiautomator import dump_windows
from odyssey_simulator.ui.controls import TextField
from tests.annotation.episode_dataset import EPISODE
from tests.annotation.phone_dataset import CapturedStep
from tests.annotation.tiny_sam2 import HALVES, decoder, encoder, endless_encoder, files
from tests.checking.evidence import FIELD, evidence, screen, with_step
from tests.cli import CommandLine
from tests.simulator.bench import half_as_dense
from tests.simulator.person import Person, person_with

STEPS = 6
OVERLAYS = {
    "menu": ("Notes", "Packing list", "More options"),
    "question": ("Notes", "Packing list", "More options", "Delete"),
    "drawer": ("Mail", "Open folders"),
    "dropdown": ("Shop", "Sort"),
    "sheet": ("Shop", "Filter"),
    "choices": ("Settings", "Display", "Font size"),
    "date": ("To-do", "Call grandma", "Today"),
    "time": ("Calendar", "New event", "12:00"),
    "field": ("To-do", "New list"),
    "songs": ("Music", "More about Delta"),
    "share": ("Photos", "First frost on the ridge", "Share"),
}
"""Every kind of overlay of the simulated phone; it has no notification shade."""


@pytest.mark.parametrize(
    "profile",
    [
        *("small_phone", "pixel_fold"),
        *(
            pytest.param(one, marks=pytest.mark.soak)
            for one in ("medium_phone", "pixel_7_pro", "pixel_8_pro", "pixel_tablet")
        ),
    ],
)
def test_box_is_that_of_the_touched_element(profile: str) -> None:
    for name, words in OVERLAYS.items():
        with person_with(half_as_dense(profile_named(profile))) as person:
            person.open(*words)
            assert "Overlay" in assert_boxes_match(person), name
            person.phone.set_rotation(1)  # a keyboard may leave no room for the overlay
            assert assert_boxes_match(person), name
    with person_with(half_as_dense(profile_named(profile))) as person:
        person.open("Notes", "New note")
        windows = assert_boxes_match(person)
        assert "InputMethod" in windows
        assert {"NavigationBar0", "Taskbar"} & {*windows}
        assert len(windows) > 20
        person.recents()
        launcher = person.phone.state()
        assert f"{launcher.package}/{launcher.activity}" in assert_boxes_match(person)
        person.home()
        person.open_drawer()
        assert assert_boxes_match(person)


def assert_boxes_match(person: Person) -> list[str]:
    """Assert that boxes are found for touches on a grid and on each view; returns the touched windows."""
    state = person.phone.state()
    size, views = Size(state.size.width, state.size.height), parse(dump_windows(person.phone).decode())
    grid = product(range(1, 20, 2), range(1, 30, 2))
    places = [Pixel(column * size.width // 20, row * size.height // 30) for column, row in grid]
    places += [Pixel((one.box.left + one.box.right) // 2, (one.box.top + one.box.bottom) // 2) for one in views]
    windows = []
    for at, (window, box) in zip(places, views_taking_touches(person, places), strict=True):
        if box is None or at not in box or box.area > LARGEST_SHARE * size.width * size.height:
            continue
        found = hierarchy_box(step_at(at, size, views=views, keyboard=state.keyboard is not None))
        assert found == box, (window, at)
        windows.append(window)
    return windows


def views_taking_touches(person: Person, places: Sequence[Pixel]) -> list[tuple[str, Box | None]]:
    """The window hit by each touch, and the box of the view that takes it, according to the simulated emulator."""
    surface = person.phone._touch_surface

    def find(at: Pixel) -> tuple[str, Box | None]:
        path = surface._boxes_at(at.x, at.y)
        window = next((one.name for one in surface._compositor.windows if path and one.box is path[-1]), "")
        for box in path:
            if box.view.on_tap or box.view.on_long_press or isinstance(box.view, TextField):
                edges = box.visible
                return window, Box(int(edges.left), int(edges.top), int(edges.right), int(edges.bottom))
        return window, None

    return person.phone._looper.call(lambda: [find(at) for at in places])


def step_at(at: Pixel, size: Size, *, keyboard: bool = False, **changes: object) -> StepEvidence:
    """A click there; `changes` are fields of the step or of its record."""
    point = to_grid(at, size)
    stroke = StrokeRecord(samples=((at.x, at.y, 0),), duration_us=10)
    whole = {"size": size, "input": stroke, "screen": screen("app", keyboard=keyboard), **changes}
    return with_step(evidence(Click(point), Complete()), 0, **whole).steps[0]


def test_system_bars_have_no_box_and_a_person_can_override_it() -> None:
    at, size = Pixel(30, 20), Size(720, 1280)
    views = (replace(FIELD, box=Box(0, 0, 720, 200)),)
    under_a_bar = step_at(at, size, views=views, ui_tree="0.xml", bbox=None, bbox_source=None)
    assert hierarchy_box(under_a_bar) is None
    drawn = step_at(at, size, views=views, ui_tree="0.xml", bbox=(10, 10, 50, 50), bbox_source="human")
    assert hierarchy_box(drawn) == Box(0, 0, 720, 200)
    known = press_boxes(drawn, {BoxSource.HIERARCHY: Box(0, 0, 720, 200)})
    assert known is not None
    assert (known.chosen.source, known.chosen.box) == (BoxSource.HUMAN, Box(10, 10, 50, 50))
    assert set(known.raw) == {BoxSource.HUMAN, BoxSource.HIERARCHY}


AT, SIZE = Pixel(500, 500), Size(1000, 1000)
ICON, ROW, BIG = Box(480, 480, 520, 520), Box(0, 460, 1000, 540), Box(450, 450, 650, 700)


@pytest.mark.parametrize(
    ("raw", "chosen", "asks_sam2"),
    [
        ({"human": ROW, "hierarchy": ICON, "sam2": ICON}, "human", False),
        ({"annotation file": ROW, "hierarchy": ICON, "sam2": ICON}, "annotation file", False),
        ({"hierarchy": ICON, "sam2": BIG}, "hierarchy", False),
        ({"hierarchy": ROW, "sam2": ICON}, "sam2", True),
        ({"hierarchy": ROW, "sam2": Box(0, 480, 1000, 520)}, "hierarchy", True),
        ({"hierarchy": ROW}, "hierarchy", True),
        ({"sam2": ROW}, "sam2", True),
        ({}, "point", True),
    ],
    ids=["human", "file", "small view", "part of a row", "the row itself", "row alone", "mask alone", "nothing"],
)
def test_most_trusted_box_is_chosen_except_for_large_views(raw: dict[str, Box], chosen: str, asks_sam2: bool) -> None:
    boxes = PressBoxes(AT, SIZE, {BoxSource(source): box for source, box in raw.items()})
    assert boxes.chosen.source == chosen
    assert boxes.chosen.box == raw.get(chosen, Box(500, 500, 500, 500))
    assert boxes.is_vague == asks_sam2


def test_implausible_boxes_are_ignored() -> None:
    release = step_at(
        AT, SIZE, spelled=LenientStep(Click(to_grid(AT, SIZE)), "", StepAnnotations(sam2_bbox=(480, 480, 520, 520)))
    )
    wrong = {BoxSource.HIERARCHY: Box(0, 0, 9, 9), BoxSource.SAM2: Box(0, 0, 1000, 1000)}
    boxes = press_boxes(release, wrong)
    assert boxes is not None
    assert boxes.raw == {BoxSource.FILE: ICON}
    assert press_boxes(evidence().steps[2], {}) is None


def noise(size: Size) -> Image.Image:
    return Image.fromarray(np.random.default_rng(1).integers(0, 256, (size.height, size.width, 3), dtype=np.uint8))


@pytest.mark.parametrize(("size", "at"), [(Size(720, 1280), Pixel(300, 700)), (Size(1280, 800), Pixel(1279, 0))])
def test_masks_become_boxes_in_screenshot_pixels(tmp_path: Path, size: Size, at: Pixel) -> None:
    found = Sam2(files(tmp_path)).boxes(noise(size), at)
    squares = sorted((one for one in found if one.score > 0.5), key=lambda one: one.box.area)
    assert len(squares) == 2
    for one, half in zip(squares, HALVES, strict=True):
        cell = size.width / 16, size.height / 16
        centre = (at.x + 0.5) / cell[0], (at.y + 0.5) / cell[1]
        columns, rows = ([c for c in range(16) if abs(c + 0.5 - middle) < half] for middle in centre)
        edges = columns[0] * cell[0], rows[0] * cell[1], (columns[-1] + 1) * cell[0], (rows[-1] + 1) * cell[1]
        assert (one.box.left, one.box.top, one.box.right, one.box.bottom) == pytest.approx(edges, abs=1)
    assert all(at in one.box and one.box.area <= 0.6 * size.width * size.height for one in found)


def test_best_mask_wins_unless_another_matches_a_view() -> None:
    sure, view = MaskBox(ICON, 0.9), MaskBox(ROW, 0.4)
    assert best([view, sure], []) == sure
    assert best([sure, view], [Box(0, 455, 1000, 545)]) == view
    assert best([sure, view], [Box(0, 0, 1000, 1000)]) == sure
    assert best([], [ROW]) is None


def test_unusable_model_file_is_reported_with_a_reason(tmp_path: Path) -> None:
    def damaged(number: int, damage: Callable[[Path], object], *, after: bool = False) -> Path:
        folder = files(tmp_path / str(number))
        damage(folder)
        if not after:
            (folder / SUMS).unlink()
            record(folder)
        return folder

    wrong: list[tuple[Callable[[Path], object], bool, str]] = [
        (lambda folder: (folder / "encoder.onnx").unlink(), True, "SAM2 needs vision_encoder.onnx or encoder.onnx in"),
        (lambda folder: decoder(folder / "decoder.onnx", masks="masks"), True, "expected "),
        (lambda folder: (folder / SUMS).unlink(), True, "has no readable SHA256SUMS. Run `annotate sam2"),
        (lambda folder: (folder / "encoder.onnx_data").write_bytes(b"1"), True, "encoder.onnx_data has the SHA-256"),
        (lambda folder: (folder / "encoder.onnx").write_bytes(b"no model"), False, "encoder.onnx cannot be loaded"),
        (lambda folder: encoder(folder / "encoder.onnx", pixels="image"), False, "has no pixel_values. It takes image"),
        (lambda folder: decoder(folder / "decoder.onnx", masks="masks"), False, "has no pred_masks"),
        (lambda folder: decoder(folder / "encoder.onnx"), False, "has no pixel_values, image_embeddings"),
        (lambda folder: endless_encoder(folder / "encoder.onnx"), False, "needs more memory than is free"),
    ]
    for number, (damage, after, words) in enumerate(wrong):
        with pytest.raises(SettingsError, match=re.escape(words)):
            Sam2(damaged(number, damage, after=after)).boxes(noise(Size(72, 128)), Pixel(9, 9))


def test_weights_in_a_file_of_their_own_are_verified_and_used(tmp_path: Path) -> None:
    path, picture = files(tmp_path / "one") / "encoder.onnx", noise(Size(72, 128))
    inside = Sam2(path.parent).boxes(picture, Pixel(9, 9))
    (path.parent / SUMS).unlink()
    data = path.with_name("encoder.onnx_data")
    onnx.save(onnx.load(path), path, save_as_external_data=True, location=data.name, size_threshold=100)
    assert record(path.parent).keys() == {"encoder.onnx", "decoder.onnx", data.name}
    assert Sam2(path.parent).boxes(picture, Pixel(9, 9)) == inside
    data.write_bytes(bytes(data.stat().st_size))
    for refused in (record, Sam2):
        with pytest.raises(SettingsError, match=r"encoder\.onnx_data has the SHA-256 .*; expected"):
            refused(path.parent)


def test_command_tries_the_files_on_one_picture(cli: CommandLine, tmp_path: Path) -> None:
    listed = cli.output("annotate", "sam2")
    document = (Path(__file__).parent.parent.parent / "docs" / "annotation.md").read_text()
    for name, (size, digest) in PUBLISHED.items():
        assert f"{digest}  {name}  ({size:,} bytes)" in listed
        assert f"| `{name}` | {size:,} | `{digest}` |" in document
    folder, drawn = files(tmp_path / "files"), tmp_path / "drawn.png"
    (folder / SUMS).unlink()
    noise(Size(72, 128)).save(tmp_path / "picture.png")
    ran = cli.output("annotate", "sam2", folder, tmp_path / "picture.png", "--at", "20,30", "--out", drawn)
    digests = [sha256((folder / name).read_bytes()).hexdigest() for name in ("encoder.onnx", "decoder.onnx")]
    assert all(f"{digest}  " in ran for digest in digests)
    assert "not a published file; its hash is recorded" in ran
    assert re.search(r"masks? around 20,30 in .* s", ran)
    [box] = re.findall(r"(\d+), (\d+), (\d+), (\d+); the model estimates an IoU of 0\.90", ran)
    with Image.open(drawn) as image:
        assert image.getpixel((int(box[0]), int(box[1]))) == (255, 0, 0)
    assert [line.split()[0] for line in (folder / SUMS).read_text().splitlines()] == digests
    assert "is not in the picture" in cli.error("annotate", "sam2", folder, tmp_path / "picture.png", "--at", "72,0")
    (folder / "encoder.onnx").rename(folder / "vision_encoder.onnx")
    (folder / SUMS).unlink()
    assert f"expected {PUBLISHED['vision_encoder.onnx'][1]}" in cli.error("annotate", "sam2", folder)


def test_onnx_runtime_is_loaded_only_for_sam2() -> None:
    words = "import sys, odyssey_recorder.annotation.boxing; print('onnxruntime' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", words], text=True).strip() == "False"


@pytest.fixture
def dataset(cli: CommandLine, made: tuple[Path, list[CapturedStep]]) -> Path:
    return Path(shutil.copytree(made[0], cli.dataset))


def stored_boxes(dataset: Path) -> list[FoundBox]:
    return [one for one in SemanticsStore(dataset).read(EPISODE).entries if isinstance(one, FoundBox)]


def test_boxes_are_stored_once_with_their_sources(cli: CommandLine, dataset: Path, tmp_path: Path) -> None:
    first = cli("annotate", "boxes", dataset)
    assert first.exit_code == 0, first.err
    assert "a right click has" in first.out
    presses = len(stored_boxes(dataset))
    assert presses > 3
    assert {one.source for one in stored_boxes(dataset)} == {BoxSource.HIERARCHY}
    again = cli("annotate", "boxes", dataset, "--everywhere", "--sam2", files(tmp_path / "files"), "--json")
    report = json.loads(again.out)
    assert report["presses"] == presses
    assert {source: one["boxes"] for source, one in report["all"].items()} == {"hierarchy": presses, "sam2": presses}
    [whole, *parts] = report["agreement"]
    assert (whole["sources"], whole["device"], whole["pairs"]) == (["hierarchy", "sam2"], "", presses)
    assert [(one["device"], one["pairs"]) for one in parts] == [("small_phone", presses)]
    before = (dataset / semantics_path(EPISODE)).read_bytes()
    assert all(len(one.models) == 2 and one.score for one in stored_boxes(dataset) if one.source is BoxSource.SAM2)
    assert cli("annotate", "boxes", dataset, "--everywhere", "--sam2", files(tmp_path / "files")).exit_code == 0
    assert (dataset / semantics_path(EPISODE)).read_bytes() == before, "a second run finds nothing new"


def test_export_contains_the_chosen_boxes(cli: CommandLine, dataset: Path, tmp_path: Path) -> None:
    rows = list(step_rows(read_exported(dataset, EPISODE)))
    provenance = dataset / "provenance" / f"{EPISODE}.json"
    tree = json.loads(provenance.read_text())
    number = first_press(dataset)
    tree["steps"][number] |= {"bbox": None, "bbox_source": None}
    provenance.write_text(json.dumps(tree))
    assert cli("annotate", "boxes", dataset, "--sam2", files(tmp_path / "files")).exit_code == 0
    at = tree["steps"][number]["input"]["samples"][0]
    masks = [one for one in stored_boxes(dataset) if one.source is BoxSource.SAM2 and one.px]
    mask = next(one for one in masks if one.px and Pixel(at[0], at[1]) in Box(*one.px))
    assert mask.px is not None
    after = list(step_rows(read_exported(dataset, EPISODE)))
    assert after[number]["bbox_source"] == "sam2"
    assert after[number]["sam2_bbox"] == list(on_grid(Box(*mask.px), Size(360, 640)))
    others = [(row, before) for row, before in zip(after, rows, strict=True) if row["bbox_source"] != "sam2"]
    assert others
    assert all(row == before for row, before in others)


def test_unreadable_files_and_changed_screenshots_are_reported(cli: CommandLine, dataset: Path, tmp_path: Path) -> None:
    number = first_press(dataset)
    path = dataset / screenshot_path(EPISODE, number)
    noise(Size(360, 640)).save(path)
    ran = cli("annotate", "boxes", dataset, "--everywhere", "--sam2", files(tmp_path / "files"))
    assert ran.exit_code == 1
    assert f"{path} has changed since it was recorded" in ran.err
    (dataset / semantics_path(EPISODE)).write_text('{"format": 1, "entries": [{"kind": "box", "px": [1, 2]}]}')
    broken = cli("annotate", "boxes", dataset)
    assert broken.exit_code == 1
    assert "entry 1" in broken.err
    assert "px.2: field required" in broken.err
    half = cli("annotate", "boxes", dataset, "--sam2", tmp_path)
    assert (half.exit_code, "has no readable SHA256SUMS" in half.err) == (2, True)


def first_press(dataset: Path) -> int:
    steps = json.loads((dataset / "provenance" / f"{EPISODE}.json").read_text())["steps"]
    return next(at for at, one in enumerate(steps) if one["bbox"])


def test_widening_of_the_click_rule_by_a_box() -> None:
    size = Size(1000, 1000)
    printed = (
        ((675, 374), (528, 349, 736, 405), 0.008),
        ((923, 609), (875, 553, 947, 633), 0.0),
        ((379, 838), (266, 812, 398, 886), 0.0),
        ((500, 500), (0, 465, 1000, 535), 0.82),
    )
    for (x, y), edges, added in printed:
        assert widening(ElementBox(Box(*edges), BoxSource.SAM2, Pixel(x, y), size)) == pytest.approx(added, abs=0.01)


def test_agreement_distinguishes_a_row_from_its_icon() -> None:
    row, icon = Box(0, 0, 100, 10), Box(0, 0, 10, 10)
    found = agreement([(row, icon), (row, row)])
    assert found is not None
    assert (found.median_iou, found.half, found.three_quarters, found.containment) == (0.55, 0.5, 0.5, 1.0)
    assert agreement([]) is None
