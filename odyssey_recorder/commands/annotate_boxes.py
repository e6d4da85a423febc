"""`annotate boxes`: the boxes of pressed elements, and what they do to the official evaluation; and `annotate sam2`."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odyssey_recorder.commands import terminal
from odyssey_recorder.commands.model_usage import DatasetArgument, FilterOption
from odyssey_recorder.commands.terminal import JsonOption, fail_if, print_json, print_unread, say
from odyssey_recorder.errors import DatasetError, ReviewError, SettingsError
from odyssey_recorder.model.plain_text import counted

if TYPE_CHECKING:
    from odyssey_recorder.annotation.boxes import BoxFigures
    from odyssey_recorder.annotation.boxing import BoxedPress, Boxing, SourceAgreement
    from odyssey_recorder.annotation.sam2 import Sam2
    from odyssey_recorder.annotation.text_kinds import BoxSource

    _Figures = Mapping[BoxSource, BoxFigures]


def boxes(
    dataset: DatasetArgument,
    *,
    selection: FilterOption = "",
    sam2: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder with SAM2's files, which `annotate sam2` has tried.")
    ] = None,
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="Ask SAM2 about every press, to compare it with the view hierarchy.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Find the boxes of the pressed elements.

    Uses the view hierarchy and, with --sam2, SAM2 where the view hierarchy has no box or one of more than
    5% of the screen. All are kept with their source in semantics/; exports write a person's box, or else the best
    of the others. Shows how large they are, how far the sources agree, and how much they widen the area in which the
    official evaluator counts a click as right. A second run finds only what is new.

    Exit code 0: success; 1: some episodes could not be read; 2: the dataset or SAM2 cannot be used.
    """
    from odyssey_recorder.annotation.boxes import box_figures
    from odyssey_recorder.annotation.boxing import Boxing, agreements

    boxing = Boxing(dataset, _loaded(sam2) if sam2 else None, everywhere=everywhere)
    problems: list[str] = []
    try:
        pressed = list(_pressed(boxing, dataset, selection, problems))
    except KeyboardInterrupt as error:
        say("Interrupted. The boxes found so far are kept. Run the same command to continue.", to=terminal.err)
        raise typer.Exit(2) from error
    chosen = box_figures(press.boxes.chosen for press in pressed)
    every = box_figures(box for press in pressed for box in press.boxes.every)
    agreeing = list(agreements(pressed))
    if as_json:
        print_json({"presses": len(pressed), **_as_json(chosen, every, agreeing), "problems": problems})
    else:
        say(f"{counted(pressed, 'pressed element')}")
        _print_summary(chosen, every, agreeing)
    print_unread(problems)
    fail_if(problems)


def sam2(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="The folder with the files.", show_default=False)
    ] = None,
    picture: Annotated[
        Path | None, typer.Argument(metavar="PICTURE", help="A screenshot to try them on.", show_default=False)
    ] = None,
    *,
    at: Annotated[
        str, typer.Option(metavar="X,Y", help="The press, in pixels.", show_default="the middle of the picture")
    ] = "",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the press and the boxes into this PNG.")
    ] = None,
) -> None:
    """Try SAM2 on one picture.

    Without arguments, it lists the files to bring and their hashes. Nothing is downloaded. With DIR and PICTURE, it
    compares the hashes, writes them to DIR/SHA256SUMS, runs SAM2 on the picture, and prints the box of each mask.

    Exit code 0: it ran, or listed the files; 2: a file is missing, is another one, or cannot be used.
    """
    from odyssey_recorder.annotation.sam2 import PUBLISHED, SOURCE, Sam2, record

    if folder is None:
        say(f"Put these files into one folder. They are in {SOURCE}:")
        for name, (size, digest) in PUBLISHED.items():
            say(f"{digest}  {name}  ({size:,} bytes)")
        say("Or export your own encoder.onnx and decoder.onnx; see docs/annotation.md.")
        return
    for name, digest in record(folder).items():
        is_published = PUBLISHED.get(name, (0, ""))[1] == digest
        say(f"{digest}  {name}  ({'as published' if is_published else 'not a published file; its hash is recorded'})")
    if picture is not None:
        _try(Sam2(folder), picture, at, out)


def _try(model: "Sam2", picture: Path, at: str, out: Path | None) -> None:
    from PIL import Image, ImageDraw

    from odyssey_recorder.model.geometry import Pixel

    try:
        image = Image.open(picture).convert("RGB")
        x, y = map(int, at.split(",")) if at else (image.width // 2, image.height // 2)
    except (OSError, ValueError) as error:
        raise SettingsError(f"Couldn't use {picture} or --at {at}: {error}. --at is in pixels, as 120,300.") from error
    if not (0 <= x < image.width and 0 <= y < image.height):
        raise SettingsError(f"--at: {x},{y} is not in the picture, which has {image.width}x{image.height} pixels.")
    began = time.monotonic()
    masks = sorted(model.boxes(image, Pixel(x, y)), key=lambda mask: -mask.score)
    say(f"{counted(masks, 'mask')} around {x},{y} in {time.monotonic() - began:.1f} s")
    draw = ImageDraw.Draw(image)
    draw.line((x - 12, y, x + 12, y), "blue", 3)
    draw.line((x, y - 12, x, y + 12), "blue", 3)
    for mask in masks:
        box = mask.box
        say(f"{box.left}, {box.top}, {box.right}, {box.bottom}; the model estimates an IoU of {mask.score:.2f}")
        draw.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), outline="red", width=3)
    if out is not None:
        try:
            image.save(out, "PNG")
        except OSError as error:
            raise SettingsError(f"Couldn't write {out}: {error.strerror}.") from error


def _loaded(folder: Path) -> "Sam2":
    from odyssey_recorder.annotation.sam2 import Sam2

    return Sam2(folder)


def _pressed(boxing: "Boxing", dataset: Path, selection: str, problems: list[str]) -> "Iterator[BoxedPress]":
    from odyssey_recorder.commands.listing import selected_ids
    from odyssey_recorder.dataset.layout import annotation_path
    from odyssey_recorder.wiring.user import user_checker

    ids, checker = selected_ids(dataset, selection), user_checker()
    with terminal.progress_bar("Finding boxes") as progress:
        for number, episode_id in enumerate(ids):
            progress(number / len(ids), f"Finding boxes: {number:,} of {counted(ids, 'episode')}")
            try:
                yield from boxing.add(episode_id, checker.evidence(dataset / annotation_path(episode_id)))
            except (DatasetError, ReviewError) as error:
                problems.append(f"{episode_id}: {error}")


def _as_json(chosen: "_Figures", every: "_Figures", agreeing: "Sequence[SourceAgreement]") -> dict[str, object]:
    return {
        "chosen": {source.value: asdict(figures) for source, figures in chosen.items()},
        "all": {source.value: asdict(figures) for source, figures in every.items()},
        "agreement": [
            {
                "sources": [agreement.one, agreement.other],
                "device": agreement.device,
                "app": agreement.app,
                **asdict(agreement.agreement),
            }
            for agreement in agreeing
        ],
    }


def _print_summary(chosen: "_Figures", every: "_Figures", agreeing: "Sequence[SourceAgreement]") -> None:
    for source, figures in chosen.items():
        say(
            f"{source}: {counted(figures.boxes, 'box', 'boxes')}, {figures.mean_area:.1%} of the screen on average "
            f"(median {figures.median_area:.1%}), {figures.large} above 5%; "
            f"a right click has {figures.mean_widening:.0%} more room on average, at most {figures.most_widening:.0%}"
        )
    kept = ", ".join(f"{figures.boxes:,} {source}" for source, figures in every.items())
    say(f"Known in all: {kept or 'none'}")
    for pair in agreeing:
        if not pair.device and not pair.app:
            found = pair.agreement
            say(
                f"{pair.one} and {pair.other}: median IoU {found.median_iou:.2f} on {found.pairs:,}; {found.half:.0%} "
                f"at least 0.5, {found.three_quarters:.0%} at least 0.75; {found.containment:.0%} of the smaller inside"
            )
