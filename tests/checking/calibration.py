"""The basis of the thresholds of IMG04 and IMG07: measures of labelled screenshots, and their error rates."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from odyssey_recorder.checking.thresholds import BLANK_DEVIATION, BLANK_FLAT, NO_EFFECT_DP2, NO_EFFECT_SHARE
from tests.checking.labelled import LabelledScreen, Pair, hard_pairs, labelled_screens, random_pairs

PROFILES = ("small_phone", "medium_phone", "pixel_7_pro", "pixel_8_pro", "pixel_fold", "pixel_tablet")
VIDEO = "moves by itself"
"""Changes that happen by themselves, which no comparison of two images can tell from an effect."""


def looks_blank(screen: LabelledScreen) -> bool:
    return screen.deviation < BLANK_DEVIATION or screen.flat > BLANK_FLAT


def errors(pairs: Sequence[Pair], says_changed: Callable[[Pair], bool]) -> tuple[list[Pair], list[Pair]]:
    """Pairs without effect that the rule misses, and pairs with an effect that it reports."""
    missed = [pair for pair in pairs if not pair.changed and says_changed(pair)]
    false = [pair for pair in pairs if pair.changed and not says_changed(pair)]
    return missed, false


def print_calibration(console: Console) -> None:
    pairs = [one for name in PROFILES for one in (*random_pairs(name, seed=1, actions=40), *hard_pairs(name))]
    screens = [one for name in PROFILES for one in labelled_screens(name)]
    console.print(f"IMG07: {len(pairs)} pairs, before and after", style="bold")
    console.print(_pair_table(pairs))
    console.print(_rule_table(pairs))
    console.print(f"IMG04: {len(screens)} screenshots", style="bold")
    console.print(_screen_table(screens))
    wrong = [screen for screen in screens if looks_blank(screen) != screen.blank]
    console.print(f"wrong at deviation < {BLANK_DEVIATION} or flat > {BLANK_FLAT}: {len(wrong)}")


def _pair_table(pairs: Sequence[Pair]) -> Table:
    groups: defaultdict[tuple[bool, str], list[Pair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.changed, pair.kind].append(pair)
    shown = Table("changed", "kind", "pairs", "share, least", "share, most", "dp², least", "dp², most", box=None)
    for (changed, kind), group in sorted(groups.items()):
        shares, areas = sorted(pair.share for pair in group), sorted(pair.area for pair in group)
        figures = f"{shares[0]:.6f}", f"{shares[-1]:.6f}", f"{areas[0]:.0f}", f"{areas[-1]:.0f}"
        shown.add_row("yes" if changed else "no", kind, str(len(group)), *figures)
    return shown


def _rule_table(pairs: Sequence[Pair]) -> Table:
    shown = Table("it changed where", "not changed, said so", "changed, not seen", box=None)
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
    shown = Table("blank", "kind", "screenshots", "deviation, least", "most", "flat, least", "most", box=None)
    for (blank, kind), group in sorted(groups.items()):
        deviations, flats = sorted(one.deviation for one in group), sorted(one.flat for one in group)
        figures = f"{deviations[0]:.2f}", f"{deviations[-1]:.2f}", f"{flats[0]:.4f}", f"{flats[-1]:.4f}"
        shown.add_row("yes" if blank else "no", kind, str(len(group)), *figures)
    return shown
