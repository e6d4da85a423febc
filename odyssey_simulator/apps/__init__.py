"""The apps of the simulated emulator: one tuple, and how to write another.

How to write an app
-------------------
1. Make a module here with a subclass of `app.App`: `label`, `package`, `icon` (a name of the Material Design Icons,
   "note-text"), `color` (one "#rrggbb": the whole theme grows from it), `category`, and `takes` ("send" for shared
   text, "view" for addresses). Add `first_page()`, and `receive(intent)` if it takes something.
   Lasting state (notes, orders) goes into attributes of the app, the state of one screen into attributes of its page.
   If the pages fill several modules, the lowest has a base class with what all pages use (`shop_cart.Storefront`), and
   the app in the highest derives from it, which avoids import cycles.
   Content may depend on `self.system.seed`, but not on a clock, `hash()` or the order of a set.
2. Make a subclass of `app.Page` for each screen. `build(look)` returns the views of the page; it runs again after each
   input, so callbacks just change attributes: `self.go(Page(...))` opens a page, `self.close()` goes back,
   `self.show("menu")` shows what `build_overlay` returns. `look.width_dp` and `look.wide` are the available space.
   Pages keep no lambdas in attributes; views may hold any number.
3. Compose pages from `ui.widgets` (bars, lists, cards, buttons, chips, tabs), `ui.pickers` (a day or a time of day),
   `ui.controls` (Text, Icon, Picture, Toggle, Checkbox, Progress), `ui.layout` (row, column, Stack, Place, Grid,
   Scroll, Surface, Spacer; anything can be touched with Surface(..., on_tap=...)) and `ui.images` (landscape(seed),
   cover(seed)). A page makes its fields, menus, sheets and questions: `self.field`, `search_field`, `menu`, `sheet`,
   `question`, `form`; and actions that only change an attribute: `self.sets`, `puts`, `flips`, `shows`, `closing`.
   `today` has the current date and a date picker.
   Lengths are dp; colours are roles of `ui.theme.Theme` ("primary", "on_surface_variant") or "#rrggbb".
4. Give each Scroll and each field of a page its own key. `self.system` shares, opens addresses, copies, and shows
   toasts. A field with `read_only` can be selected and copied by a long press.
5. Add the class to APPS below. `notes.py` is the example to follow.
"""

from odyssey_simulator.apps.app import App
from odyssey_simulator.apps.browser import Browser
from odyssey_simulator.apps.calculator import Calculator
from odyssey_simulator.apps.calendar_app import Calendar
from odyssey_simulator.apps.clock import Clock
from odyssey_simulator.apps.mail import MailApp
from odyssey_simulator.apps.messages import Messages
from odyssey_simulator.apps.music import Music
from odyssey_simulator.apps.notes import Notes
from odyssey_simulator.apps.photos import Photos
from odyssey_simulator.apps.settings import SettingsApp
from odyssey_simulator.apps.shop import Shop
from odyssey_simulator.apps.social import Social
from odyssey_simulator.apps.todo import Todo

APPS: tuple[type[App], ...] = (
    Browser,
    Notes,
    SettingsApp,
    Shop,
    Todo,
    Calendar,
    Calculator,
    Clock,
    Messages,
    MailApp,
    Photos,
    Music,
    Social,
)
