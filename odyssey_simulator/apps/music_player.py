"""The player: the cover of the current song, the controls below it, and the queue."""

from functools import partial

from odyssey_simulator.apps.music_songs import SongsPage
from odyssey_simulator.apps.recordings import Song
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Icon, Picture, Progress, Text
from odyssey_simulator.ui.layout import ScrollView, Spacer, Surface, column, row
from odyssey_simulator.ui.view import Look, View


class PlayerPage(SongsPage):
    navigation_color = "surface"

    def build(self, look: Look) -> View:
        song = self.app.queue.song
        if song is None:
            return Spacer()
        bar = row(
            ui.icon_button("chevron-down", "Navigate up", self.close, color="on_surface", size=28),
            Text("Now playing", 14, 500, align="center", flex=1),
            ui.icon_button("dots-vertical", "More options", partial(self.offer, song, "song")),
            pad=(4, 8),
        )
        coming = self._coming()
        if look.wide:
            side = max(120, min(look.height_dp - 320, look.width_dp * 0.4))
            panel = self._panel(song, side)
            left = Surface(ScrollView(panel, "panel") if look.height_dp < 320 + side else panel, flex=1)
            right = Surface(ui.scroll_page(ui.section("Up next"), *coming, key="next"), flex=1, color="surface_low")
            return column(bar, row(left, right, across="stretch", flex=1))
        side = min(look.width_dp - 72, look.height_dp - 350, 480)
        parts = (self._panel(song, side), ui.section("Up next"), *coming)
        return column(bar, Surface(ScrollView(column(*parts), "next"), flex=1))

    def _coming(self) -> list[View]:
        queue = self.app.queue
        if not queue.coming:
            return [Surface(ui.muted("This is the last song."), pad=(16, 4, 16, 16))]
        return [self.row(song, queue.songs) for song in queue.coming[:12]]

    def _panel(self, song: Song, side: float) -> View:
        width = max(side, 296)
        text = column(Text(song.title, 24, 500, lines=1), ui.muted(song.artist, 16, lines=1), flex=1)
        like = ("heart", "Unlike") if song in self.app.liked else ("heart-outline", "Like")
        heart = ui.icon_button(*like, self.switches(song, among=self.app.liked), color="primary")
        times = row(Text("0:00", 12), Text(song.length, 12), along="between")
        parts = (
            row(Picture(song.painter, side, side, radius=20), along="center"),
            row(text, heart),
            column(Progress(0.0), times, gap=6),
            self._controls(),
            self._actions(song),
        )
        return row(Surface(column(*parts, gap=12, pad=(0, 4, 0, 8)), width=width), along="center")

    def _controls(self) -> View:
        queue = self.app.queue
        icon, desc, switch = self.play_button()
        play = ui.disc(Icon(icon, 36, "on_primary"), 64, "primary", desc=desc, on_tap=switch)
        shuffle = partial(queue.shuffle, queue.songs, self.system.seed)
        repeat = "primary" if queue.repeats else "on_surface_variant"
        return row(
            ui.icon_button("shuffle", "Shuffle", shuffle),
            ui.icon_button("skip-previous", "Previous song", partial(queue.step, -1), color="on_surface", size=34),
            play,
            ui.icon_button("skip-next", "Next song", partial(queue.step, 1), color="on_surface", size=34),
            ui.icon_button("repeat", "Repeat", self.flips("repeats", of=queue), color=repeat),
            along="between",
        )

    def _actions(self, song: Song) -> View:
        return row(
            ui.icon_button("playlist-plus", "Add to playlist", partial(self.offer, song, "playlists")),
            ui.icon_button("share-variant-outline", "Share", partial(self.share, song)),
            along="center",
            gap=24,
        )
