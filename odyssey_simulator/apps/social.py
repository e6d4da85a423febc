"""Social: a feed of posts with photos, likes and comments, one's own profile, and people to follow."""

from functools import partial

from odyssey_simulator.apps.app import Intent, Page, System
from odyssey_simulator.apps.content import table
from odyssey_simulator.apps.people import OWNER, PhonePerson, people_like, person_named
from odyssey_simulator.apps.photographs import photograph_in, without_address
from odyssey_simulator.apps.social_composer import ComposePage
from odyssey_simulator.apps.social_posts import Comment, Network, Post, PostsPage
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Divider, Text
from odyssey_simulator.ui.layout import Spacer, Surface, column, row
from odyssey_simulator.ui.view import Look, View

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

    def profile_page(self, person: PhonePerson) -> Page:
        return ProfilePage(self, person)


class ProfilesPage(PostsPage):
    def profile(self, person: PhonePerson) -> list[View]:
        posts = [post for post in self.app.posts if post.author == person]
        figures = row(
            _figure(len(posts), "Posts"),
            _figure(person.followers + (person in self.app.followed), "Followers"),
            _figure(len(self.app.followed) if person == OWNER else person.follows, "Following"),
            along="between",
        )
        head = column(
            row(ui.avatar(person.name, person.color, 80), Surface(figures, flex=1, pad=(16, 0, 8, 0)), gap=12),
            Text(person.name, 22, 500),
            ui.muted(f"@{person.handle}  ·  {person.place}"),
            Text(person.about, 15),
            gap=4,
            pad=(20, 12, 20, 16),
        )
        nothing = (Divider(), Spacer(24), Text("No posts yet", 16, align="center"))
        return [head, *(map(self.card, posts) if posts else nothing)]

    def person_row(self, person: PhonePerson) -> View:
        return ui.list_item(
            person.name,
            f"@{person.handle}",
            lead=ui.avatar(person.name, person.color, 44),
            trail=self.follow_button(person),
            on_tap=partial(self.go, ProfilePage(self.app, person)),
            lines=1,
        )

    def follow_button(self, person: PhonePerson) -> View:
        turn = self.switches(person, among=self.app.followed)
        if person in self.app.followed:
            return ui.button("Following", turn, kind="outlined")
        return ui.button("Follow", turn)


def _figure(number: int, label: str) -> View:
    return column(Text(str(number), 18, 500), ui.muted(label, 13), across="center")


class FeedPage(ProfilesPage):
    navigation_color = "surface_container"
    tab = "Feed"

    def build(self, look: Look) -> View:
        body = {"Feed": self._feed, "Search": self._search, "Profile": self._own_profile}[self.tab]()
        return ui.tabbed(look, body, _TABS, current=self.tab, choose=self.sets("tab"))

    def _feed(self) -> View:
        circle = [*self.app.followed, OWNER]
        cards = [self.card(post) for post in self.app.posts if post.author in circle]
        feed = ui.scroll_page(*cards, Spacer(88), key="feed", gap=8, pad=(0, 4), max_width=640)
        return ui.page_frame(ui.app_bar("Social"), feed, fab=self._new_post())

    def _new_post(self) -> View:
        return ui.fab("pencil-plus-outline", "New post", lambda: self.go(ComposePage(self.app), focus="post"))

    def _search(self) -> View:
        bar = ui.centered(ui.search_box(self.search_field("Search people and posts")), 608, pad=(16, 10))
        query = self.query.strip().lower()
        persons = people_like(query)
        posts = [post for post in self.app.posts if query and query in post.text.lower()]
        if not persons and not posts:
            return ui.page_frame(bar, ui.empty_page("account-search-outline", f"Nothing found for “{self.query}”"))
        parts: list[View] = []
        if persons:
            parts += [ui.section("People"), *(self.person_row(person) for person in persons)]
        if posts:
            parts += [ui.section("Posts"), *(self.card(post) for post in posts)]
        return ui.page_frame(bar, ui.scroll_page(*parts, key="found", max_width=640))

    def _own_profile(self) -> View:
        feed = ui.scroll_page(*self.profile(OWNER), key="me", gap=8, max_width=640)
        return ui.page_frame(ui.app_bar("Profile"), feed, fab=self._new_post())


class ProfilePage(ProfilesPage):
    def __init__(self, app: Network, person: PhonePerson) -> None:
        super().__init__(app)
        self.person = person

    def build(self, look: Look) -> View:
        actions = () if self.person == OWNER else (Surface(self.follow_button(self.person), pad=(0, 0, 12, 0)),)
        bar = ui.app_bar(f"@{self.person.handle}", *actions, on_up=self.close)
        return ui.page_frame(bar, ui.scroll_page(*self.profile(self.person), gap=8, max_width=640))


class PostPage(ProfilesPage):
    def __init__(self, app: Network, post: Post) -> None:
        super().__init__(app)
        self.post = post
        self.comment = ""

    def build(self, look: Look) -> View:
        nothing = Surface(ui.muted("No comments yet. Be the first."), pad=(16, 4))
        comments = [self._comment(comment) for comment in self.post.comments] or [nothing]
        parts = (self.card(self.post, whole=True), ui.section("Comments"), *comments)
        field = self.field("comment", "Add a comment", action="send", on_action=self._publish)
        bottom = ui.centered(ui.send_line(field, "Send comment", self._publish), 640)
        return ui.page_frame(
            ui.app_bar("Post", on_up=self.close), ui.scroll_page(*parts, key="post", max_width=640), bottom=bottom
        )

    def _comment(self, comment: Comment) -> View:
        text = column(Text(comment.author.name, 14, 500, lines=1), Text(comment.text, 15), gap=1, flex=1)
        line = row(ui.avatar(comment.author.name, comment.author.color, 36), text, gap=12, pad=(16, 8), across="start")
        return Surface(line, fill=True, on_long_press=partial(self.system.copy, comment.text))

    def _publish(self) -> None:
        if self.comment.strip():
            self.post.comments.append(Comment(OWNER, self.comment.strip()))
            self.comment = ""
            self.memory.scroll["post"] = 1_000_000

    def after_delete(self) -> None:
        self.close()
