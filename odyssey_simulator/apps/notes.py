"""Notes: a searchable list of notes that can be edited, shared and deleted."""

from dataclasses import dataclass, replace

from odyssey_simulator.apps.app import App, Intent, Page, System
from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Text
from odyssey_simulator.ui.layout import Grid, ScrollView, column
from odyssey_simulator.ui.view import Look, View

_FIRST_NOTES = (
    ("Packing list", "Passport\nPhone charger\nRain jacket\nHiking boots\nSunscreen\nBook for the train"),
    (
        "Pancakes",
        "2 eggs, 200 g flour, 400 ml milk, a pinch of salt.\nRest the batter for 30 minutes, then fry in butter.",
    ),
    ("Book club", "Next meeting on Thursday at 19:00 at Mira's. Read chapters 4 to 7 and bring two questions."),
    ("Gift ideas", "Dad: a good pocket knife\nLena: concert tickets\nOma: photo calendar"),
    ("Wi-Fi of the cottage", "Network: Seeblick\nPassword: otter-kayak-41"),
    ("Quote", "The real voyage of discovery consists not in seeking new landscapes, but in having new eyes."),
)


@dataclass(slots=True)
class Note:
    title: str = ""
    body: str = ""

    @property
    def words(self) -> str:
        return f"{self.title}\n{self.body}".strip()


class Notes(App):
    label = "Notes"
    package = "com.odyssey.notes"
    icon = "note-text"
    color = "#e0a100"
    category = "Information_Management"
    takes = ("send",)

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.notes = [Note(title, body) for title, body in _FIRST_NOTES]

    def first_page(self) -> Page:
        return NotesPage(self)

    def receive(self, intent: Intent) -> Page:
        note = Note(intent.subject, intent.text)
        self.notes.insert(0, note)
        return NotePage(self, note)


class NotesPage(Page):
    app: Notes

    def build(self, look: Look) -> View:
        query = self.query.lower()
        cards = [self._card(note) for note in self.app.notes if query in note.words.lower()]
        bar = ui.centered(ui.search_box(self.search_field("Search your notes")), 720, pad=(16, 10, 16, 6))
        body: View = ui.empty_page("note-search-outline", "No notes found")
        if cards:
            body = ScrollView(Grid(cards, min_cell=220 if look.wide else 150, gap=10, pad=(16, 8, 16, 88)))
        return ui.page_frame(bar, body, fab=ui.fab("plus", "New note", self._new))

    def _card(self, note: Note) -> View:
        return ui.card(
            Text(note.title or "Untitled", 16, 500, lines=1),
            ui.muted(note.body, lines=6),
            on_tap=lambda: self.go(NotePage(self.app, note)),
            desc=note.title,
        )

    def _new(self) -> None:
        note = Note()
        self.app.notes.insert(0, note)
        self.go(NotePage(self.app, note), focus="title")


class NotePage(Page):
    app: Notes

    def __init__(self, app: Notes, note: Note) -> None:
        super().__init__(app)
        self.note = note

    def build(self, look: Look) -> View:
        bar = ui.app_bar(
            "",
            ui.icon_button("share-variant-outline", "Share", self._share),
            ui.icon_button("dots-vertical", "More options", self.shows("menu")),
            on_up=self._leave,
        )
        title = self.field("title", "Title", of=self.note, size=24, then="body")
        body = self.field("body", "Note", of=self.note, multiline=True, min_lines=8)
        return ui.page_frame(bar, ScrollView(ui.centered(column(title, body, gap=12, pad=(20, 8, 20, 24)), 760)))

    def build_overlay(self, look: Look) -> View | None:
        if self.overlay == "delete":
            return self.question("Delete note?", "This cannot be undone.", "Delete", self._delete)
        return self.menu(
            ("content-copy", "Make a copy", self._duplicate), ("delete-outline", "Delete", self.shows("delete"))
        )

    def on_back(self) -> bool:
        self._leave()
        return True

    def _leave(self) -> None:
        if not self.note.words:
            self.app.notes.remove(self.note)
        self.close()

    def _share(self) -> None:
        if self.note.words:
            self.system.share(self.note.body or self.note.title, subject=self.note.title)
        else:
            self.system.toast("Nothing to share")

    def _duplicate(self) -> None:
        self.app.notes.insert(0, replace(self.note))
        self.system.toast("Copied as a new note")

    def _delete(self) -> None:
        self.app.notes.remove(self.note)
        self.close()
