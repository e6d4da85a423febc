"""Generated images: the wallpaper, landscapes and covers, deterministic for a seed and size."""

import math
import random
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFilter

from odyssey_simulator.ui.controls import Painter
from odyssey_simulator.ui.draw import icon_mask
from odyssey_simulator.ui.theme import RGB, mixed, rgb, tone


def landscape(seed: int) -> Painter:
    return lambda width, height: _landscape(seed, width, height)


def cover(seed: int) -> Painter:
    return lambda width, height: _cover(seed, width, height)


def emblem(icon: str, color: str) -> Painter:
    return lambda width, height: _emblem(icon, rgb(color), width, height)


def wallpaper(seed: int) -> Painter:
    return lambda width, height: _wallpaper(seed, width, height)


def ramp(size: tuple[int, int], top: RGB, bottom: RGB) -> Image.Image:
    column = Image.new("RGB", (1, 64))
    for row in range(64):
        column.putpixel((0, row), mixed(top, bottom, row / 63))
    return column.resize(size, Image.Resampling.BILINEAR)


def _ridge(
    rng: random.Random, width: int, base: float, swing: float, *, calm: bool = False
) -> list[tuple[float, float]]:
    fastest = 1.0 if calm else 3.2
    waves = [(rng.uniform(0.5, fastest), rng.uniform(0, math.tau), rng.uniform(0.2, 0.8)) for _ in range(3)]
    points = []
    for step in range(65):
        x = step / 64
        lift = sum(size * math.sin(x * speed * math.tau + phase) / speed for speed, phase, size in waves)
        points.append((x * width, base - swing * lift))
    return points


@lru_cache(maxsize=32)
def _landscape(seed: int, width: int, height: int) -> Image.Image:
    rng = random.Random(seed * 7919 + 11)
    hue = rng.random()
    small = (max(64, width // 2), max(64, height // 2))
    image = ramp(small, tone(hue + 0.5, 0.6, 0.62), tone(hue + 0.06, 0.7, 0.88))
    draw = ImageDraw.Draw(image)
    sun_x, sun_y, radius = rng.uniform(0.2, 0.8) * small[0], rng.uniform(0.18, 0.45) * small[1], small[1] * 0.09
    draw.ellipse((sun_x - radius, sun_y - radius, sun_x + radius, sun_y + radius), fill=tone(0.13, 0.9, 0.93))
    for layer in range(4):
        color = tone(hue + 0.33 + layer * 0.02, 0.35, 0.60 - layer * 0.13)
        ridge = _ridge(rng, small[0], small[1] * (0.52 + layer * 0.14), small[1] * 0.09)
        draw.polygon([*ridge, (small[0], small[1]), (0, small[1])], fill=color)
    return image.resize((width, height), Image.Resampling.BICUBIC).convert("RGBA")


@lru_cache(maxsize=32)
def _cover(seed: int, width: int, height: int) -> Image.Image:
    rng = random.Random(seed * 104_729 + 5)
    hue = rng.random()
    side = max(64, max(width, height) // 2)
    image = ramp((side, side), tone(hue, 0.6, 0.35), tone(hue + 0.12, 0.6, 0.6))
    draw = ImageDraw.Draw(image)
    for _ in range(7):
        x, y, radius = rng.uniform(0, side), rng.uniform(0, side), rng.uniform(0.08, 0.4) * side
        color = tone(hue + rng.uniform(-0.1, 0.25), 0.6, rng.uniform(0.35, 0.8))
        if rng.random() < 0.5:
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=color)
        else:
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), outline=color, width=max(2, int(radius / 5)))
    return image.resize((width, height), Image.Resampling.BICUBIC).convert("RGBA")


@lru_cache(maxsize=96)
def _emblem(icon: str, color: RGB, width: int, height: int) -> Image.Image:
    white, side = (255, 255, 255), max(8, round(min(width, height) * 0.62))
    left, top = (width - side) // 2, (height - side) // 2
    image = ramp((width, height), mixed(color, white, 0.92), mixed(color, white, 0.74))
    shadow = Image.new("L", (width, height))
    floor = (left + side * 0.12, top + side * 0.93, left + side * 0.88, top + side * 1.03)
    ImageDraw.Draw(shadow).ellipse(floor, fill=90)
    image.paste(mixed(color, (0, 0, 0), 0.7), mask=shadow.filter(ImageFilter.GaussianBlur(side / 24)))
    thing = ramp((side, side), mixed(color, white, 0.22), mixed(color, (0, 0, 0), 0.3))
    image.paste(thing, (left, top), icon_mask(icon, side))
    return image.convert("RGBA")


@lru_cache(maxsize=3)
def _wallpaper(seed: int, width: int, height: int) -> Image.Image:
    rng = random.Random(seed * 31 + 3)
    hue = (0.60 + 0.09 * (seed % 7)) % 1
    small = (max(64, width // 2), max(64, height // 2))
    image = ramp(small, tone(hue, 0.42, 0.24), tone(hue + 0.10, 0.45, 0.58))
    draw = ImageDraw.Draw(image)
    for layer in range(4):
        color = tone(hue + 0.035 * layer, 0.40, 0.33 + 0.075 * layer)
        ridge = _ridge(rng, small[0], small[1] * (0.44 + layer * 0.16), small[1] * 0.05, calm=True)
        draw.polygon([*ridge, (small[0], small[1]), (0, small[1])], fill=color)
    soft = image.filter(ImageFilter.GaussianBlur(1.5))
    return soft.resize((width, height), Image.Resampling.BICUBIC).convert("RGBA")
