"""Posts as the lists of the social app show them: author, time, text, photo, likes, comments, Share."""

from dataclasses import dataclass, field
from functools import partial

from odyssey_simulator.apps.app import App, Page
from odyssey_simulator.apps.people import OWNER, PhonePerson
from odyssey_simulator.apps.photographs import photograph
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Icon, Picture, Text
from odyssey_simulator.ui.layout import Spacer, Surface, column, row
from odyssey_simulator.ui.view import Action, Look, View


@dataclass(frozen=True, slots=True)
class Comment:
    author: PhonePerson
    text: str


@dataclass(slots=True, eq=False)
class Post:
    """`photo` is the number of a photograph, `likes` counts other people's."""

    author: PhonePerson
    when: str
    text: str
    photo: int | None = None
    likes: int = 0
    comments: list[Comment] = field(default_factory=list)
    liked: bool = False


class Network(App):
    posts: list[Post]
    followed: list[PhonePerson]

    def post_page(self, post: Post) -> Page:
        raise NotImplementedError

    def profile_page(self, person: PhonePerson) -> Page:
        raise NotImplementedError


class PostsPage(Page):
    app: Network

    def card(self, post: Post, *, whole: bool = False) -> View:
        parts: list[View] = [self._head(post)]
        if post.text:
            parts.append(Surface(Text(post.text, 16, lines=None if whole else 4), pad=(16, 0)))
        if post.photo:
            taken = photograph(post.photo)
            image = Surface(Picture(taken.painter, aspect=1.6, radius=14), desc=taken.caption)
            parts.append(Surface(image, pad=(16, 2)))
        parts.append(self._foot(post))
        return Surface(
            column(*parts, gap=8, pad=(0, 12, 0, 4)),
            color="surface_low",
            radius=16,
            fill=True,
            on_tap=None if whole else partial(self._open, post),
            on_long_press=partial(self.offer, post),
            desc="" if whole else f"Post by {post.author.name}",
        )

    def build_overlay(self, look: Look) -> View | None:
        post: Post = self.chosen
        delete = ("trash-can-outline", "Delete post", partial(self._delete, post))
        return self.sheet(
            f"Post by {post.author.name}",
            ("content-copy", "Copy text", partial(self.system.copy, post.text)),
            ("share-variant-outline", "Share", partial(self._share, post)),
            *((delete,) if post.author == OWNER else ()),
        )

    def after_delete(self) -> None: ...

    def _head(self, post: Post) -> View:
        author = post.author
        about = ui.muted(f"@{author.handle}  ·  {post.when}", 13, lines=1)
        text = column(Text(author.name, 15, 500, lines=1), about, flex=1)
        person = Surface(
            row(ui.avatar(author.name, author.color), text, gap=12),
            flex=1,
            desc=author.name,
            on_tap=lambda: self.go(self.app.profile_page(author)),
        )
        return row(
            person, ui.icon_button("dots-vertical", "More options", partial(self.offer, post)), pad=(16, 0, 4, 0)
        )

    def _foot(self, post: Post) -> View:
        heart = ("heart", "Unlike", "error") if post.liked else ("heart-outline", "Like", "on_surface_variant")
        return row(
            _counter(*heart, count=post.likes + post.liked, on_tap=self.flips("liked", of=post)),
            _counter("comment-outline", "Comments", count=len(post.comments), on_tap=partial(self._open, post)),
            Spacer(flex=1),
            ui.icon_button("share-variant-outline", "Share post", partial(self._share, post)),
            gap=8,
            pad=(8, 0, 4, 0),
        )

    def _open(self, post: Post) -> None:
        self.go(self.app.post_page(post))

    def _share(self, post: Post) -> None:
        address = f" {photograph(post.photo).address}" if post.photo else ""
        self.system.share(f"{post.text}{address}", subject=f"Post by {post.author.name}")

    def _delete(self, post: Post) -> None:
        self.app.posts.remove(post)
        self.system.toast("Post deleted")
        self.after_delete()


def _counter(icon: str, desc: str, color: str = "on_surface_variant", *, count: int, on_tap: Action) -> View:
    face = row(Icon(icon, 22, color), ui.muted(str(count)), gap=6, pad=(8, 0))
    return Surface(face, height=44, align="start", desc=desc, on_tap=on_tap)
