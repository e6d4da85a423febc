"""Drawings as SVG, for pages, the window and image files; all text is escaped."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from odyssey_recorder.figures.drawing import Drawing, FilledRect, Label, Line
from odyssey_recorder.model.plain_text import on_one_line

STYLE = """
.figure text { font-family: var(--font, system-ui, "Segoe UI", Roboto, sans-serif); font-size: 12px; }
.figure text { fill: var(--text, #1f2328); } .figure .faint { fill: var(--faint, #5d6570); }
.figure rect, .figure .cells { fill: var(--fill, #2f6db5); }
.figure line { stroke: var(--edge, #dcdfe4); } .figure line.text { stroke: var(--text, #1f2328); }
.figure line.faint { stroke: var(--faint, #5d6570); } .figure line.ground { stroke: var(--card, #fff); }
.figure line.published { stroke: var(--published, #b4540a); }
"""
"""A page has it, and may set the variables."""

_VARIABLE = re.compile(r"var\(--(\w+), ([^)]*)\)")
_LEVELS = 8


def styled(variables: Mapping[str, str]) -> str:
    """The style for what knows no variables: with these values by name, and its own for the others."""
    style = _VARIABLE.sub(lambda found: variables.get(found[1], found[2]), STYLE)
    return f"<style>{escape(style)}</style>"


def svg(drawing: Drawing, title: str, style: str = "") -> str:
    """`style` is from `styled`, or empty in a page."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="figure" role="img" aria-label={quoteattr(on_one_line(title))} '
        f'width="{drawing.width:g}" height="{drawing.height:g}" viewBox="0 0 {drawing.width:g} {drawing.height:g}">'
    ]
    parts += (style, *_cells(drawing))
    for shape in drawing.shapes:
        match shape:
            case FilledRect(tip="", filter=""):
                pass  # in `_cells`
            case FilledRect(x, y, width, height, level, tip):
                shade = "" if level == 1 else f' fill-opacity="{level:.2f}"'
                parts.append(
                    f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"{shade}>'
                    f"<title>{_text(tip)}</title></rect>"
                )
            case Line(x, y, to_x, to_y, tone, width):
                parts.append(
                    f'<line class="{tone}" x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" '
                    f'stroke-width="{width:g}"/>'
                )
            case Label():
                parts.append(_label(shape))
    return "".join((*parts, "</svg>"))


def _label(label: Label) -> str:
    turned = f' transform="rotate(-90 {label.x:.1f} {label.y:.1f})"' if label.upright else ""
    anchor = "" if label.anchor == "start" else f' text-anchor="{label.anchor}"'
    tone = "" if label.tone == "text" else f' class="{label.tone}"'
    return f'<text x="{label.x:.1f}" y="{label.y:.1f}"{anchor}{tone}{turned}>{_text(label.text)}</text>'


def _cells(drawing: Drawing) -> Iterator[str]:
    """Rectangles without a description, as one path per shade: a heat map has thousands."""
    shades: defaultdict[int, list[str]] = defaultdict(list)
    for shape in drawing.shapes:
        if isinstance(shape, FilledRect) and not shape.tip and not shape.filter:
            shades[round(shape.level * _LEVELS)].append(
                f"M{shape.x:.1f} {shape.y:.1f}h{shape.width:.1f}v{shape.height:.1f}h-{shape.width:.1f}z"
            )
    for shade, cells in sorted(shades.items()):
        yield f'<path class="cells" fill-opacity="{shade / _LEVELS:.2f}" d="{"".join(cells)}"/>'


def _text(text: str) -> str:
    return escape(on_one_line(text))
