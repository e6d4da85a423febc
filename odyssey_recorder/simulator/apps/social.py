"""Social: a feed of posts with photos, likes and comments, one's own profile, and people to follow."""

from functools import partial

from odyssey_recorder.simulator.apps.app import Intent, Page, System
from odyssey_recorder.simulator.apps.content import table
from odyssey_recorder.simulator.apps.people import OWNER, Person, people_like, person_named
from odyssey_recorder.simulator.apps.photographs import photograph_in, without_address
from odyssey_recorder.simulator.apps.social_composer import ComposePage
from odyssey_recorder.simulator.apps.social_posts import Comment, Network, Post, PostsPage
from odyssey_recorder.simulator.ui.controls import Text, TextField
from odyssey_recorder.simulator.ui.layout import Column, Row, Spacer, Surface
from odyssey_recorder.simulator.ui.view import Look, View
from odyssey_recorder.simulator.ui.widgets import (
    app_bar,
    avatar,
    button,
    centered,
    divider,
    empty_page,
    fab,
    icon_button,
    list_item,
    page_frame,
    scroll_page,
    search_box,
    section,
    tabbed,
    text_box,
)

_TABS = (("home-variant-outline", "Feed"), ("magnify", "Search"), ("account-circle-outline", "Profile"))


class Social(Network):
    label = "Social"
    package = "com.odyssey.social"
    icon = "account-group"
    color = "#7c3aed"
    category = "Social_Sharing"
    takes = ("send",)

    def __init__(self, system: System) -> None:
        super().__init__(system)
        content = table("social")
        self.followed = [person_named(name) for name in content["followed"]]
        self.posts = [
            Post(
                person_named(entry["name"]),
                entry["when"],
                entry["text"],
                entry.get("photo"),
                entry["likes"],
                [Comment(person_named(name), text) for name, text in entry["comments"]],
            )
            for entry in content["post"]
        ]

    def first_page(self) -> Page:
        return FeedPage(self)

    def receive(self, intent: Intent) -> Page:
        photo = photograph_in(intent.text)
        return ComposePage(self, without_address(intent.text), photo.number if photo else None)

    def post_page(self, post: Post) -> Page:
        return PostPage(self, post)

    def profile_page(self, person: Person) -> Page:
        return ProfilePage(self, person)


class ProfilesPage(PostsPage):
    def profile(self, person: Person) -> list[View]:
        posts = [post for post in self.app.posts if post.author == person]
        following = len(self.app.followed) if person == OWNER else person.follows
        figures = Row(
            (
                self._figure(len(posts), "Posts"),
                self._figure(person.followers + (person in self.app.followed), "Followers"),
                self._figure(following, "Following"),
            ),
            along="between",
        )
        head = Column(
            (
                Row((avatar(person.name, person.color, 80), Surface(figures, flex=1, pad=(16, 0, 8, 0))), gap=12),
                Text(person.name, 22, 500),
                Text(f"@{person.handle}  ·  {person.place}", 14, color="on_surface_variant"),
                Text(person.about, 15),
            ),
            gap=4,
            pad=(20, 12, 20, 16),
        )
        cards = [self.card(post) for post in posts]
        return [head, *cards] if cards else [head, divider(), Spacer(24), Text("No posts yet", 16, align="center")]

    def _figure(self, number: int, label: str) -> View:
        return Column((Text(str(number), 18, 500), Text(label, 13, color="on_surface_variant")), across="center")

    def person_row(self, person: Person) -> View:
        return list_item(
            person.name,
            f"@{person.handle}",
            lead=avatar(person.name, person.color, 44),
            trail=self.follow_button(person),
            on_tap=partial(self.go, ProfilePage(self.app, person)),
            lines=1,
        )

    def follow_button(self, person: Person) -> View:
        follows = person in self.app.followed
        turn = partial(self.app.turn_follow, person)
        return button("Following" if follows else "Follow", turn, kind="outlined" if follows else "filled")


class FeedPage(ProfilesPage):
    navigation_color = "surface_container"
    tab = "Feed"
    query = ""

    def build(self, look: Look) -> View:
        body = {"Feed": self._feed, "Search": self._search, "Profile": self._me}[self.tab]()
        return tabbed(look, body, _TABS, current=self.tab, choose=self.sets("tab"))

    def _feed(self) -> View:
        circle = [*self.app.followed, OWNER]
        cards = [self.card(post) for post in self.app.posts if post.author in circle]
        feed = scroll_page(*cards, Spacer(88), key="feed", gap=8, pad=(0, 4), max_width=640)
        return page_frame(app_bar("Social"), feed, fab=fab("pencil-plus-outline", "New post", self._compose))

    def _compose(self) -> None:
        page = ComposePage(self.app)
        page.focus("post")
        self.go(page)

    def _search(self) -> View:
        field = TextField("search", self.query, self.sets("query"), hint="Search people and posts", action="search")
        bar = centered(search_box(field), 608, pad=(16, 10))
        wanted = self.query.strip().lower()
        persons = people_like(wanted)
        posts = [post for post in self.app.posts if wanted and wanted in post.text.lower()]
        if not persons and not posts:
            return page_frame(bar, empty_page("account-search-outline", f"Nothing found for “{self.query}”"))
        parts: list[View] = []
        if persons:
            parts += [section("People"), *(self.person_row(person) for person in persons)]
        if posts:
            parts += [section("Posts"), *(self.card(post) for post in posts)]
        return page_frame(bar, scroll_page(*parts, key="found", max_width=640))

    def _me(self) -> View:
        feed = scroll_page(*self.profile(OWNER), key="me", gap=8, max_width=640)
        return page_frame(app_bar("Profile"), feed, fab=fab("pencil-plus-outline", "New post", self._compose))


class ProfilePage(ProfilesPage):
    title = "Profile"

    def __init__(self, app: Network, person: Person) -> None:
        super().__init__(app)
        self.person = person

    def build(self, look: Look) -> View:
        actions = () if self.person == OWNER else (Surface(self.follow_button(self.person), pad=(0, 0, 12, 0)),)
        bar = app_bar(f"@{self.person.handle}", *actions, on_up=self.close)
        return page_frame(bar, scroll_page(*self.profile(self.person), gap=8, max_width=640))


class PostPage(ProfilesPage):
    title = "Post"

    def __init__(self, app: Network, post: Post) -> None:
        super().__init__(app)
        self.post = post
        self.words = ""

    def build(self, look: Look) -> View:
        comments = [self._comment(comment) for comment in self.post.comments]
        nothing = Surface(Text("No comments yet. Be the first.", 14, color="on_surface_variant"), pad=(16, 4))
        body = scroll_page(
            self.card(self.post, whole=True), section("Comments"), *(comments or [nothing]), key="post", max_width=640
        )
        field = TextField(
            "comment", self.words, self.sets("words"), hint="Add a comment", action="send", on_action=self._publish
        )
        send = icon_button("send", "Send comment", self._publish, color="primary" if self.words.strip() else "outline")
        line = Row((Surface(text_box(field), flex=1), send), gap=4, pad=(12, 6, 4, 10))
        bottom = centered(line, 640)
        return page_frame(app_bar("Post", on_up=self.close), body, bottom=bottom)

    def _comment(self, comment: Comment) -> View:
        words = Column((Text(comment.author.name, 14, 500, lines=1), Text(comment.text, 15)), gap=1, flex=1)
        row = Row((avatar(comment.author.name, comment.author.color, 36), words), gap=12, pad=(16, 8), across="start")
        return Surface(row, fill=True, on_long_press=partial(self.system.copy, comment.text), desc="")

    def _publish(self) -> None:
        if self.words.strip():
            self.post.comments.append(Comment(OWNER, self.words.strip()))
            self.words = ""
            self.memory.scroll["post"] = 1_000_000

    def after_delete(self) -> None:
        self.close()
