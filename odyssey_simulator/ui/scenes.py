"""Generated photographs from a seed: cities, beaches, woods, meals, flowers and balloons."""

import random
from collections.abc import Callable
from functools import cache, lru_cache, partial

from PIL import Image, ImageDraw, ImageFilter

from odyssey_simulator.ui.controls import Painter
from odyssey_simulator.ui.images import landscape, ramp
from odyssey_simulator.ui.theme import RGB, mixed

_Brush = Callable[[random.Random, int], Image.Image]
_SIDE = 480
_WHITE: RGB = (255, 255, 255)
_FAIR_HILLS = (10, 15, 20, 21, 28, 31, 36, 42, 44, 48, 53)


def scene(kind: str, seed: int) -> Painter:
    return partial(_cut, kind, seed)


@cache
def _square(kind: str, seed: int) -> Image.Image:
    return _BRUSHES[kind](random.Random(seed * 6_151 + 17), _SIDE).convert("RGBA")


@lru_cache(maxsize=50)
def _cut(kind: str, seed: int, width: int, height: int) -> Image.Image:
    share = _SIDE / max(width, height)
    left, top = (_SIDE - width * share) / 2, (_SIDE - height * share) / 2
    box = (max(0.0, left), max(0.0, top), min(_SIDE, _SIDE - left), min(_SIDE, _SIDE - top))
    return _square(kind, seed).resize((width, height), Image.Resampling.BICUBIC, box)


def _hills(rng: random.Random, side: int) -> Image.Image:
    smooth = landscape(rng.choice(_FAIR_HILLS))(4 * side, 4 * side)
    return smooth.resize((side, side), Image.Resampling.BOX)


def _city(rng: random.Random, side: int) -> Image.Image:
    dusk = rng.choice(
        (((44, 52, 98), (247, 164, 120)), ((22, 28, 66), (120, 92, 160)), ((96, 160, 214), (236, 226, 204)))
    )
    image = ramp((side, side), *dusk)
    draw = ImageDraw.Draw(image)
    for row in range(2):
        wall = mixed(dusk[0], (18, 20, 34), 0.35 + 0.4 * row)
        x = -10.0
        while x < side:
            width, top = rng.uniform(0.08, 0.17) * side, side * (rng.uniform(0.22, 0.5) + 0.16 * row)
            draw.rectangle((x, top, x + width, side), fill=wall)
            for left in range(int(x + 8), int(x + width - 12), 15):
                for up in range(int(top + 10), side, 22):
                    if rng.random() < 0.45:
                        draw.rectangle((left, up, left + 7, up + 10), fill=mixed(wall, (255, 214, 130), 0.85))
            x += width + rng.uniform(0, 6)
    return image


def _beach(rng: random.Random, side: int) -> Image.Image:
    sky, sea = rng.choice(
        (((92, 172, 232), (28, 116, 170)), ((250, 170, 120), (70, 92, 150)), ((150, 206, 226), (36, 140, 150)))
    )
    image = ramp((side, side), sky, mixed(sky, _WHITE, 0.8))
    draw = ImageDraw.Draw(image)
    sun, level = rng.uniform(0.2, 0.8) * side, rng.uniform(0.40, 0.52) * side
    draw.ellipse((sun - 34, level - 130, sun + 34, level - 62), fill=(255, 244, 206))
    for band in range(12):
        y = level + band * (side - level) / 22
        draw.rectangle((0, y, side, side), fill=mixed(sea, _WHITE, 0.05 * band))
    shore = level + (side - level) * 0.5
    lean = rng.uniform(-60, 60)
    draw.polygon([(0, shore + lean), (side, shore - lean), (side, side), (0, side)], fill=_WHITE)
    draw.polygon([(0, shore + lean + 12), (side, shore - lean + 12), (side, side), (0, side)], fill=(236, 212, 164))
    for x in (rng.uniform(0.15, 0.4) * side, rng.uniform(0.6, 0.85) * side):
        color = rng.choice(((226, 82, 74), (250, 196, 60), (64, 150, 160)))
        draw.line((x, side * 0.68, x, side * 0.9), fill=(120, 90, 60), width=5)
        draw.pieslice((x - 58, side * 0.60, x + 58, side * 0.80), 180, 360, fill=color)
        draw.pieslice((x - 20, side * 0.60, x + 20, side * 0.80), 180, 360, fill=_WHITE)
    return image


def _wood(rng: random.Random, side: int) -> Image.Image:
    leaf = rng.choice(((34, 92, 66), (176, 94, 34), (46, 84, 104)))
    mist = mixed(leaf, (244, 246, 240), 0.86)
    image = ramp((side, side), mixed(mist, _WHITE, 0.6), mist)
    draw = ImageDraw.Draw(image)
    for layer in range(5):
        color = mixed(mist, mixed(leaf, (10, 20, 20), 0.35), (layer + 1) / 5)
        ground = side * (0.5 + layer * 0.12)
        for number in range(10 - layer):
            x = (number + rng.uniform(0, 0.9)) * side / (9 - layer)
            height, half = side * rng.uniform(0.16, 0.26) * (1 + layer * 0.3), side * 0.035 * (1 + layer * 0.4)
            for part in range(3):
                top = ground - height * (1 - part * 0.26)
                reach = half * (0.55 + part * 0.3)
                draw.polygon([(x, top), (x - reach, top + height * 0.42), (x + reach, top + height * 0.42)], fill=color)
        draw.rectangle((0, ground - 6, side, side), fill=color)
    return image.filter(ImageFilter.GaussianBlur(0.8))


def _meal(rng: random.Random, side: int) -> Image.Image:
    table = rng.choice(((156, 112, 74), (92, 108, 118), (214, 200, 184)))
    image = ramp((side, side), table, mixed(table, (0, 0, 0), 0.15))
    draw = ImageDraw.Draw(image)
    for left in range(0, side, 80):
        draw.line((left, 0, left, side), fill=mixed(table, (0, 0, 0), 0.18), width=2)
    middle = side / 2
    for reach, color in ((188, mixed(table, (0, 0, 0), 0.3)), (180, (250, 248, 244)), (140, (234, 230, 224))):
        drop = 8 if reach == 188 else 0
        draw.ellipse((middle - reach, middle - reach + drop, middle + reach, middle + reach + drop), fill=color)
    base = rng.choice(((242, 200, 96), (232, 150, 80), (222, 214, 150)))
    draw.ellipse((middle - 118, middle - 118, middle + 118, middle + 118), fill=base)
    bits = ((206, 60, 52), (86, 150, 70), (250, 236, 200), (120, 70, 44))
    for _ in range(34):
        x, y, size = middle + rng.gauss(0, 44), middle + rng.gauss(0, 44), rng.uniform(9, 22)
        draw.ellipse((x - size, y - size, x + size, y + size), fill=rng.choice(bits))
    draw.rounded_rectangle((middle + 206, 110, middle + 218, 380), 6, fill=(226, 228, 232))
    draw.rounded_rectangle((middle - 218, 110, middle - 206, 380), 6, fill=(226, 228, 232))
    return image.filter(ImageFilter.GaussianBlur(0.6))


def _flowers(rng: random.Random, side: int) -> Image.Image:
    image = ramp((side, side), (156, 206, 170), (48, 112, 72))
    draw = ImageDraw.Draw(image)
    petals = rng.choice(
        (((232, 76, 110), (250, 180, 196)), ((250, 190, 50), (255, 232, 150)), ((120, 96, 204), (206, 190, 246)))
    )
    for size in (14, 20, 28, 38):
        if size == 28:
            image = image.filter(ImageFilter.GaussianBlur(3))
            draw = ImageDraw.Draw(image)
        for _ in range(9):
            x, y = rng.uniform(0, side), rng.uniform(0.1, 1.0) * side
            draw.line((x, y, x + rng.uniform(-14, 14), side), fill=(40, 96, 58), width=max(2, size // 8))
            for dx, dy in ((0, -1), (0.95, -0.31), (0.59, 0.81), (-0.59, 0.81), (-0.95, -0.31)):
                left, top = x + dx * size * 0.7, y + dy * size * 0.7
                reach = size * 0.62
                color = mixed(*petals, rng.random())
                draw.ellipse((left - reach, top - reach, left + reach, top + reach), fill=color)
            draw.ellipse((x - size * 0.4, y - size * 0.4, x + size * 0.4, y + size * 0.4), fill=(246, 214, 90))
    return image


def _balloons(rng: random.Random, side: int) -> Image.Image:
    image = ramp((side, side), (110, 178, 232), (250, 228, 202))
    draw = ImageDraw.Draw(image)
    for layer in range(3):
        y = side * (0.78 + layer * 0.07)
        points = [(x, y + rng.uniform(-18, 18)) for x in range(0, side + 60, 60)]
        draw.polygon([*points, (side + 60, side), (0, side)], fill=mixed((150, 160, 170), (70, 84, 74), layer / 2))
    colors = ((226, 74, 70), (250, 190, 60), (60, 130, 190), (240, 130, 60), (90, 160, 110))
    for number in range(5):
        x, y = (0.14 + 0.18 * number) * side, rng.uniform(0.14, 0.56) * side
        reach = side * rng.uniform(0.05, 0.12)
        first, second = rng.sample(colors, 2)
        draw.polygon(
            [(x - reach * 0.8, y + reach * 0.5), (x + reach * 0.8, y + reach * 0.5), (x, y + reach * 1.7)], fill=first
        )
        draw.ellipse((x - reach, y - reach, x + reach, y + reach), fill=first)
        draw.ellipse((x - reach * 0.4, y - reach, x + reach * 0.4, y + reach), fill=second)
        draw.rectangle((x - reach * 0.2, y + reach * 1.7, x + reach * 0.2, y + reach * 2), fill=(110, 76, 50))
    return image


_BRUSHES: dict[str, _Brush] = {
    "hills": _hills,
    "city": _city,
    "beach": _beach,
    "wood": _wood,
    "meal": _meal,
    "flowers": _flowers,
    "balloons": _balloons,
}
