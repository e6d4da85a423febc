"""The player: the cover of the current song, the controls below it, and the queue."""

from functools import partial

from odyssey_recorder.simulator.apps.music_songs import SongsPage
from odyssey_recorder.simulator.apps.recordings import Song
from odyssey_recorder.simulator.ui.controls import Icon, Picture, Progress, Text
from odyssey_recorder.simulator.ui.layout import Column, Row, Scroll, Spacer, Surface
from odyssey_recorder.simulator.ui.view import Look, View
from odyssey_recorder.simulator.ui.widgets import icon_button, scroll_page, section


class PlayerPage(SongsPage):
    title = "Player"
    navigation_color = "surface"

    def build(self, look: Look) -> View:
        song = self.app.queue.song
        if song is None:
            return Spacer()
        bar = Row(
            (
                icon_button("chevron-down", "Navigate up", self.close, color="on_surface", size=28),
                Text("Now playing", 14, 500, align="center", flex=1),
                icon_button("dots-vertical", "More options", partial(self.offer, song, "song")),
            ),
            pad=(4, 8),
        )
        coming = self._coming()
        if look.wide:
            side = max(120, min(look.height_dp - 320, look.width_dp * 0.4))
            panel = self._panel(song, side)
            left = Surface(Scroll(panel, "panel") if look.height_dp < 320 + side else panel, flex=1)
            right = Surface(scroll_page(section("Up next"), *coming, key="next"), flex=1, color="surface_low")
            return Column((bar, Row((left, right), across="stretch", flex=1)))
        side = min(look.width_dp - 72, look.height_dp - 350, 480)
        parts = (self._panel(song, side), section("Up next"), *coming)
        return Column((bar, Surface(Scroll(Column(parts), "next"), flex=1)))

    def _coming(self) -> list[View]:
        queue = self.app.queue
        if not queue.coming:
            return [Surface(Text("This is the last song.", 14, color="on_surface_variant"), pad=(16, 4, 16, 16))]
        return [self.row(song, queue.songs) for song in queue.coming[:12]]

    def _panel(self, song: Song, side: float) -> View:
        width = max(side, 296)
        words = Column(
            (Text(song.title, 24, 500, lines=1), Text(song.artist, 16, color="on_surface_variant", lines=1)), flex=1
        )
        like = ("heart", "Unlike") if song in self.app.liked else ("heart-outline", "Like")
        heart = icon_button(*like, partial(self.app.turn_like, song), color="primary")
        times = Row((Text("0:00", 12), Text(song.length, 12)), along="between")
        parts = (
            Row((Picture(song.painter, side, side, radius=20),), along="center"),
            Row((words, heart)),
            Column((Progress(0.0), times), gap=6),
            self._controls(),
            self._actions(song),
        )
        return Row((Surface(Column(parts, gap=12, pad=(0, 4, 0, 8)), width=width),), along="center")

    def _controls(self) -> View:
        queue = self.app.queue
        play = ("pause", "Pause") if queue.playing else ("play", "Play")
        disc = Surface(
            Icon(play[0], 36, "on_primary"),
            color="primary",
            radius=32,
            width=64,
            height=64,
            align="center",
            desc=play[1],
            on_tap=queue.switch,
        )
        shuffle = partial(queue.shuffle, queue.songs, self.system.seed)
        repeat = "primary" if queue.repeats else "on_surface_variant"
        return Row(
            (
                icon_button("shuffle", "Shuffle", shuffle),
                icon_button("skip-previous", "Previous song", partial(queue.step, -1), color="on_surface", size=34),
                disc,
                icon_button("skip-next", "Next song", partial(queue.step, 1), color="on_surface", size=34),
                icon_button("repeat", "Repeat", queue.switch_repeat, color=repeat),
            ),
            along="between",
        )

    def _actions(self, song: Song) -> View:
        return Row(
            (
                icon_button("playlist-plus", "Add to playlist", partial(self.offer, song, "playlists")),
                icon_button("share-variant-outline", "Share", partial(self.share, song)),
            ),
            along="center",
            gap=24,
        )
