"""The basis of the thresholds of IMG04 and IMG07: measures of labelled screenshots, and their error rates."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Column, Table

from odyssey_recorder.quality.thresholds import BLANK_DEVIATION, BLANK_FLAT, NO_EFFECT_DP2, NO_EFFECT_SHARE
from tests.quality.labelled import LabelledScreen, Pair, hard_pairs, labelled_screens, random_pairs

PROFILES = ("small_phone", "medium_phone", "pixel_7_pro", "pixel_8_pro", "pixel_fold", "pixel_tablet")
VIDEO = "moves by itself"
"""Changes that happen by themselves, which no comparison of two images can tell from an effect."""


@dataclass(frozen=True, slots=True)
class Labelled:
    pairs: tuple[Pair, ...]
    screens: tuple[LabelledScreen, ...]


def label(profiles: Iterable[str], *, seed: int, actions: int) -> Labelled:
    pairs: list[Pair] = []
    screens: list[LabelledScreen] = []
    for profile in profiles:
        pairs += [*random_pairs(profile, seed=seed, actions=actions), *hard_pairs(profile)]
        screens += labelled_screens(profile)
    return Labelled(tuple(pairs), tuple(screens))


def looks_blank(screen: LabelledScreen) -> bool:
    return screen.deviation < BLANK_DEVIATION or screen.flat > BLANK_FLAT


def errors(pairs: Sequence[Pair], says_changed: Callable[[Pair], bool]) -> tuple[list[Pair], list[Pair]]:
    """Pairs without effect that the rule misses, and pairs with an effect that it reports."""
    missed = [pair for pair in pairs if not pair.changed and says_changed(pair)]
    false = [pair for pair in pairs if pair.changed and not says_changed(pair)]
    return missed, false


def print_calibration(labelled: Labelled, console: Console) -> None:
    console.print(f"IMG07: {len(labelled.pairs)} pairs, before and after", style="bold")
    console.print(_pair_table(labelled.pairs))
    console.print(_rule_table(labelled.pairs))
    console.print(f"IMG04: {len(labelled.screens)} screenshots", style="bold")
    console.print(_screen_table(labelled.screens))
    wrong = [screen for screen in labelled.screens if looks_blank(screen) != screen.blank]
    console.print(f"wrong at deviation < {BLANK_DEVIATION} or flat > {BLANK_FLAT}: {len(wrong)}")


def _pair_table(pairs: Sequence[Pair]) -> Table:
    groups: defaultdict[tuple[bool, str], list[Pair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.changed, pair.kind].append(pair)
    shown = _table("changed", "kind", "pairs", "share, least", "share, most", "dp², least", "dp², most")
    for (changed, kind), group in sorted(groups.items()):
        shares, areas = sorted(pair.share for pair in group), sorted(pair.area for pair in group)
        figures = f"{shares[0]:.6f}", f"{shares[-1]:.6f}", f"{areas[0]:.0f}", f"{areas[-1]:.0f}"
        shown.add_row("yes" if changed else "no", kind, str(len(group)), *figures)
    return shown


def _rule_table(pairs: Sequence[Pair]) -> Table:
    shown = _table("it changed where", "not changed, said so", "changed, not seen")
    rules: list[tuple[str, Callable[[Pair], bool]]] = [
        (f"dp² ≥ {NO_EFFECT_DP2:g}", lambda pair: pair.area >= NO_EFFECT_DP2),
        (f"share ≥ {NO_EFFECT_SHARE}", lambda pair: pair.share >= NO_EFFECT_SHARE),
        ("share ≥ 0.001", lambda pair: pair.share >= 0.001),
        ("share ≥ 0.0001", lambda pair: pair.share >= 0.0001),
    ]
    for words, rule in rules:
        missed, false = errors(pairs, rule)
        shown.add_row(words, _count_with_kinds(missed), _count_with_kinds(false))
    return shown


def _count_with_kinds(pairs: Sequence[Pair]) -> str:
    kinds = ", ".join(sorted({pair.kind for pair in pairs}))
    return f"{len(pairs)} ({kinds})" if pairs else "0"


def _screen_table(screens: Sequence[LabelledScreen]) -> Table:
    groups: defaultdict[tuple[bool, str], list[LabelledScreen]] = defaultdict(list)
    for screen in screens:
        groups[screen.blank, screen.kind].append(screen)
    shown = _table("blank", "kind", "pictures", "deviation, least", "most", "flat, least", "most")
    for (blank, kind), group in sorted(groups.items()):
        deviations, flats = sorted(one.deviation for one in group), sorted(one.flat for one in group)
        figures = f"{deviations[0]:.2f}", f"{deviations[-1]:.2f}", f"{flats[0]:.4f}", f"{flats[-1]:.4f}"
        shown.add_row("yes" if blank else "no", kind, str(len(group)), *figures)
    return shown


def _table(*names: str) -> Table:
    return Table(*(Column(name) for name in names), box=None)
