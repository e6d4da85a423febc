"""`annotate boxes`: the boxes of pressed elements, and what they do to the official evaluation."""

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

_Hash = Annotated[str, typer.Option(metavar="SHA256", help="The SHA-256 of this file.", show_default=False)]


def boxes(  # noqa: PLR0913 - the flags
    dataset: DatasetArgument,
    *,
    selection: FilterOption = "",
    sam2_encoder: Annotated[Path | None, typer.Option(help="SAM2's encoder, an ONNX file.")] = None,
    sam2_encoder_sha256: _Hash = "",
    sam2_decoder: Annotated[Path | None, typer.Option(help="SAM2's decoder, an ONNX file.")] = None,
    sam2_decoder_sha256: _Hash = "",
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="Ask SAM2 about every press, to compare it with the view hierarchy.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Find the boxes of the pressed elements.

    Uses the view hierarchy and, if SAM2's files are given, SAM2 where the view hierarchy has no box or one of more than
    5% of the screen. All are kept with their source in semantics/; exports write a person's box, or else the best
    of the others. Shows how large they are, how far the sources agree, and how much they widen the area in which the
    official evaluator counts a click as right. A second run finds only what is new.

    Exit code 0: success; 1: some episodes could not be read; 2: the dataset or SAM2 cannot be used.
    """
    from odyssey_recorder.annotation.boxes import box_figures
    from odyssey_recorder.annotation.boxing import Boxing, agreements

    sam2 = _sam2(sam2_encoder, sam2_encoder_sha256, sam2_decoder, sam2_decoder_sha256)
    boxing = Boxing(dataset, sam2, everywhere=everywhere)
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


def _sam2(encoder: Path | None, encoder_hash: str, decoder: Path | None, decoder_hash: str) -> "Sam2 | None":
    if not any((encoder, encoder_hash, decoder, decoder_hash)):
        return None
    if encoder is None or decoder is None or not encoder_hash or not decoder_hash:
        raise SettingsError(
            "SAM2 needs --sam2-encoder and --sam2-decoder, each with its SHA-256 (--sam2-encoder-sha256, "
            "--sam2-decoder-sha256)."
        )
    from odyssey_recorder.annotation.sam2 import ModelFile, Sam2

    return Sam2(ModelFile(encoder, encoder_hash), ModelFile(decoder, decoder_hash))


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
