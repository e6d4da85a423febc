"""Colours by role and font sizes: the Material theme of one app, light or dark."""

import colorsys
from dataclasses import dataclass
from functools import cache

RGB = tuple[int, int, int]


def rgb(hex_color: str) -> RGB:
    return int(hex_color[1:3], 16), int(hex_color[3:5], 16), int(hex_color[5:7], 16)


def hex_of(color: RGB) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)


def mixed(first: RGB, second: RGB, share: float) -> RGB:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


@dataclass(frozen=True, slots=True)
class AppTheme:
    """An app's colours by Material role; views accept a role's name or "#rrggbb"."""

    dark: bool
    primary: RGB
    on_primary: RGB
    primary_container: RGB
    on_primary_container: RGB
    secondary_container: RGB
    surface: RGB
    surface_low: RGB
    surface_container: RGB
    surface_high: RGB
    on_surface: RGB
    on_surface_variant: RGB
    outline: RGB
    outline_variant: RGB
    inverse_surface: RGB
    inverse_on_surface: RGB
    error: RGB

    def color(self, name: str) -> RGB:
        """Of a role or "#rrggbb"; raises AttributeError for an unknown role."""
        if name.startswith("#"):
            return rgb(name)
        value: RGB = getattr(self, name)
        return value


def tone(hue: float, saturation: float, lightness: float) -> RGB:
    """Each from 0 to 1; the hue may go on beyond."""
    red, green, blue = colorsys.hls_to_rgb(hue % 1, lightness, saturation)
    return round(red * 255), round(green * 255), round(blue * 255)


@cache
def theme_of(seed_color: str, *, dark: bool = False) -> AppTheme:
    red, green, blue = (channel / 255 for channel in rgb(seed_color))
    hue, _, saturation = colorsys.rgb_to_hls(red, green, blue)
    vivid, soft = min(saturation, 0.75), min(saturation, 0.35)

    def role(light: float, night: float, strength: float) -> RGB:
        return tone(hue, strength, night if dark else light)

    return AppTheme(
        dark=dark,
        primary=role(0.36, 0.78, vivid),
        on_primary=role(1.0, 0.16, vivid),
        primary_container=role(0.88, 0.28, vivid),
        on_primary_container=role(0.14, 0.90, vivid),
        secondary_container=role(0.905, 0.26, soft),
        surface=role(0.985, 0.075, soft * 0.5),
        surface_low=role(0.965, 0.105, soft * 0.6),
        surface_container=role(0.945, 0.125, soft * 0.6),
        surface_high=role(0.92, 0.165, soft * 0.6),
        on_surface=role(0.11, 0.90, soft * 0.3),
        on_surface_variant=role(0.30, 0.76, soft * 0.3),
        outline=role(0.48, 0.56, soft * 0.3),
        outline_variant=role(0.82, 0.28, soft * 0.5),
        inverse_surface=role(0.18, 0.90, soft * 0.3),
        inverse_on_surface=role(0.96, 0.15, soft * 0.3),
        error=(179, 38, 30) if not dark else (242, 184, 181),
    )
