"""The dialog where a lead unticks the apps, countries and accounts that the team lacks, and adds apps."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from odyssey_recorder.gui.kit.dialogs import Dialog
from odyssey_recorder.gui.kit.layouts import labelled
from odyssey_recorder.gui.kit.parts import (
    Choice,
    SearchField,
    column,
    line_edit,
    named,
    push_button,
    row,
    say,
    text_label,
)
from odyssey_recorder.gui.kit.row_delegate import TickDelegate
from odyssey_recorder.tasks.templates.team import Lacking, Team
from odyssey_recorder.tasks.templates.template import Catalogue, CatalogueApp
from odyssey_recorder.tasks.templates.template_schema import AppEntry

_APPS, _COUNTRIES, _ACCOUNTS = "apps", "countries", "accounts"
_KINDS = ((_APPS, "Apps"), (_COUNTRIES, "Countries"), (_ACCOUNTS, "Accounts"))
_KIND, _NAME = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
_WIDTH_PX, _HEIGHT_PX = 640, 560


class TeamDialog(Dialog):
    """Closed by its owner once the team is saved; `show_failure` says why it was not."""

    changed = Signal(object)
    """The Team to save."""

    def __init__(self, team: Team, catalogue: Catalogue, parent: QWidget | None = None) -> None:
        super().__init__("Apps of the team", parent)
        self._team = team
        self._catalogue = catalogue
        self._added = list(team.apps)
        self._search = SearchField("Search apps, countries and accounts", "A name, a kind of app or a country")
        self._kind = Choice("Show")
        self._kind.offer(_KINDS)
        self._list = named(QListWidget(), "What the team has")
        self._list.setProperty("kind", "rows")
        self._list.setItemDelegate(TickDelegate(self._list))
        self._name, self._package = line_edit("Name", "Our notes"), line_edit("Package", "org.example.app")
        self._like = Choice("Does the same as")
        self._like.offer([(app.name, app.name) for app in sorted(catalogue.apps, key=lambda app: app.name.casefold())])
        self._failure = text_label(kind="danger")
        self._fill_list()
        self._lay_out()
        self._narrow()

    @property
    def team(self) -> Team:
        lacking: dict[str, list[str]] = {kind: [] for kind, _label in _KINDS}
        for item in self._items():
            if item.checkState() is Qt.CheckState.Unchecked:
                lacking[item.data(_KIND)].append(item.data(_NAME))
        without = Lacking(**{kind: tuple(names) for kind, names in lacking.items()})
        return self._team.model_copy(update={"without": without, "apps": tuple(self._added)})

    def show_failure(self, text: str) -> None:
        say(self._failure, text)

    def _fill_list(self) -> None:
        for app in self._catalogue.apps:
            self._offer(_APPS, app.name, _about(app))
        bound: Mapping[str, Callable[[CatalogueApp], tuple[str, ...]]] = {
            _COUNTRIES: lambda app: app.countries,
            _ACCOUNTS: lambda app: (app.account,) if app.account else (),
        }
        for kind, names_of in bound.items():
            for name in sorted({name for app in self._catalogue.apps for name in names_of(app)}, key=str.casefold):
                apps = [app.name for app in self._catalogue.apps if name in names_of(app)]
                self._offer(kind, name, ", ".join(apps))

    def _offer(self, kind: str, name: str, about: str) -> QListWidgetItem:
        item = QListWidgetItem(f"{name}  ·  {about}")
        item.setToolTip(about)
        item.setData(_KIND, kind)
        item.setData(_NAME, name)
        lacks = name in getattr(self._team.without, kind)
        item.setCheckState(Qt.CheckState.Unchecked if lacks else Qt.CheckState.Checked)
        self._list.addItem(item)
        return item

    def _items(self) -> list[QListWidgetItem]:
        return [self._list.item(place) for place in range(self._list.count())]

    def _narrow(self) -> None:
        words = self._search.text().strip().casefold()
        for item in self._items():
            item.setHidden(item.data(_KIND) != self._kind.value or words not in item.text().casefold())

    def _add(self) -> None:
        like = self._catalogue.by_name[self._like.value]
        entry = {"name": self._name.text(), "package": self._package.text().strip(), "class": like.app_class}
        try:
            app = AppEntry.model_validate({**entry, "like": like.name})
        except ValueError:
            say(self._failure, "Enter a name, and a package such as org.example.app.")
            return
        self._added.append(app)
        self._kind.choose(_APPS)
        self._list.setCurrentItem(self._offer(_APPS, app.name, f"{app.app_class}, added by the team"))
        say(self._failure, "")
        for field in (self._name, self._package, self._search):
            field.clear()

    def _lay_out(self) -> None:
        self._search.textChanged.connect(lambda _text: self._narrow())
        self._kind.currentIndexChanged.connect(lambda _at: self._narrow())
        self._failure.hide()
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        title = text_label("Untick the apps, countries and accounts that you don't have", "title")
        hint = text_label("New tasks won't need them. Existing tasks stay as they are.", "hint")
        add = push_button("Add", "Add this app to the apps that tasks may use", call=self._add)
        fields = (labelled("&Name of an app to add", self._name), labelled("&Package", self._package))
        like = labelled("&Does the same as", self._like)
        adding = row((fields[0], 3), (fields[1], 4), (like, 3), column(None, add))
        cancel = push_button("Cancel", "Change nothing (Esc)", call=self.reject)
        save = push_button("Save", "Save this for everybody on the team (Enter)", "primary")
        save.clicked.connect(lambda: self.changed.emit(self.team))
        filters = row((self._search, 1), self._kind)
        buttons = row(None, cancel, save)
        self.fill(title, hint, filters, self._list, adding, self._failure, buttons, stretch=self._list)
        self.resize(_WIDTH_PX, _HEIGHT_PX)


def _about(app: CatalogueApp) -> str:
    countries = f"only in {', '.join(app.countries)}" if app.countries else ""
    account = f"needs an account: {app.account}" if app.account else ""
    return ", ".join(filter(None, (app.app_class, countries, account)))
