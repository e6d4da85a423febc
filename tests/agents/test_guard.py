"""The guard of agents: it asks about what is risky, however it is named, and about what nobody can name."""

import tomllib
from pathlib import Path

import pytest

from odyssey_recorder.agents import risky_words
from odyssey_recorder.agents.guard import Guard, recorded_as
from odyssey_recorder.agents.risky_words import risky_word
from odyssey_recorder.llm.tool_calls import ToolCall
from odyssey_recorder.model.action import Action, Click, LongPress, Press, Scroll, SystemKey, Type
from odyssey_recorder.model.geometry import Box, Pixel, Point, to_grid
from odyssey_recorder.recording.step_writer import ShownScreen
from tests.agents.guard_screens import APP, SIZE, screen, shown_screen, state, view, window

RISKY = {
    "en": ["Buy now", "PAY $12.00", "Send", "Delete all", "Install", "Forgot password?", "btn_send"],
    "de": ["Jetzt kaufen", "Zahlungspflichtig bestellen", "LÖSCHEN", "Lo\u0308schen", "Senden", "WLAN-Passwort"],
    "fr": ["Acheter maintenant", "Payer", "ENVOYER", "Supprimer", "Désinstaller", "Mot\u00a0de passe oublié ?"],
    "es": ["Comprar ahora", "Pagar", "Enviar mensaje", "Eliminar", "Instalar", "CONTRASEÑA"],
    "it": ["Acquista ora", "Paga 5 €", "Invia", "Elimina", "Installa", "Password dimenticata?"],
    "pt": ["Comprar agora", "Pagar", "Enviar", "Excluir", "Instalar", "Esqueci a senha", "Palavra-passe"],
    "ru": ["Купить", "Оплатить", "Отправить", "УДАЛИТЬ", "Установить", "Забыли пароль?"],
    "hi": ["अभी खरीदें", "भुगतान करें", "भेजें", "हटाएं", "हटाएँ", "इंस्टॉल करें", "पासवर्ड"],
    "ar": ["شراء الآن", "الدفع", "إرسال", "ارسال", "حذف الرسالة", "تثبيت", "نسيت كلمة المرور؟"],
    "zh": ["立即购买", "付款", "发送", "删除照片", "安装", "忘记密码", "傳送", "刪除"],
    "ja": ["今すぐ購入", "支払い", "送信する", "削除", "アンインストール", "ﾊﾟｽﾜｰﾄﾞ"],
    "ko": ["바로구매", "결제하기", "보내기", "삭제할까요?", "설치하기", "비밀번호를 잊으셨나요?"],
}
LATER = {
    "en": ["Erase all data", "Factory reset", "Remove", "Transfer", "Place order", "Checkout", "Payment",
           "Subscribe", "Allow"],
    "de": ["Alle Daten löschen", "Auf Werkseinstellungen zurücksetzen", "Entfernen", "Überweisen", "Zur Kasse",
           "Zahlung", "Abonnieren", "Zulassen"],
    "fr": ["Effacer toutes les données", "Réinitialiser", "Retirer", "Virement", "Passer la commande", "Paiement",
           "S\u2019abonner", "Autoriser"],
    "es": ["Borrar todos los datos", "Restablecer", "Quitar", "Transferir", "Realizar pedido", "Pago", "Suscribirse",
           "Permitir"],
    "it": ["Cancella tutti i dati", "Ripristina", "Rimuovi", "Trasferisci", "Effettua ordine", "Pagamento",
           "Abbonati", "Consenti"],
    "pt": ["Apagar todos os dados", "Redefinir", "Remover", "Transferir", "Finalizar pedido", "Pagamento", "Assinar",
           "Permitir"],
    "ru": ["Стереть все данные", "Сбросить", "Убрать", "Перевести", "Оформить заказ", "Оплата", "Подписаться",
           "Разрешить"],
    "hi": ["सारा डेटा मिटाएं", "रीसेट करें", "निकालें", "ट्रांसफर करें", "ऑर्डर करें", "पेमेंट", "सदस्यता लें",
           "अनुमति दें"],
    "ar": ["محو جميع البيانات", "إعادة ضبط المصنع", "إزالة", "تحويل", "إتمام الطلب", "الدفع", "اشتراك", "السماح"],
    "zh": ["清除所有数据", "恢复出厂设置", "移除", "转账", "提交订单", "结算", "订阅", "允许"],
    "ja": ["すべてのデータを消去", "初期化", "取り除く", "送金", "注文を確定する", "お支払い", "定期購入", "許可"],
    "ko": ["모든 데이터 지우기", "초기화", "제거", "이체", "주문하기", "결제", "구독", "허용"],
}  # fmt: skip
"""What the guard did not know before an attack on it, in each language."""
INNOCENT = {
    "en": ["Sender", "payload", "Buyer's guide", "PayPal", "Undeleted", "Installed", "Repayment", "sendmail",
           "Don't allow"],
    "de": ["Sendersuche", "Bezahlt", "Löschpapier", "Einkaufen", "Verkaufen", "Zahlenschloss", "Kalender",
           "Nicht zulassen"],
    "fr": ["Payeur", "Renvoyé", "Supprimés", "Passeport"],
    "es": ["Comprador", "Enviados", "Eliminados", "Página"],
    "it": ["Pagamenti", "Inviati", "Pagina", "Passo"],
    "pt": ["Comprador", "Enviados", "Excluídos", "Desenhar"],
    "ru": ["Отправитель", "Покупки", "Удалённые", "Установлено"],
    "hi": ["भेजा गया", "भेजने वाला", "खरीदा", "हटा"],
    "ar": ["مرسل", "محذوف", "مثبت", "المدفوعات"],
    "zh": ["已发送", "最近删除", "已安装", "支付宝", "已傳送", "发件人"],
    "ja": ["送信者", "送信済み", "購入履歴", "インストール済み"],
    "ko": ["보낸 편지함", "설치됨", "결제 내역", "구매자"],
}  # fmt: skip
INVISIBLE = [
    "De\u00adlete", "D\u200be\u200bl\u200be\u200bt\u200be", "S\u2060end", "P\u0332a\u0332y\u0332", "De\ufe0flete",
]  # fmt: skip
ALIKE = [
    "D\u0435l\u0435t\u0435", "\u0440\u0430\u0443", "\u03a1\u0391\u03a5", "\u13a0elete", "\u0412uy",
    "\uff24\uff25\uff2c\uff25\uff34\uff25", "\U0001d403\U0001d41e\U0001d425\U0001d41e\U0001d42d\U0001d41e",
]  # fmt: skip
ODD = ["\u202eeteleD", "D e l e t e", "D.E.L.E.T.E", "De lete", "D3lete", "De1ete", "DeIete", "deleteNote"]
OTHER_SCRIPTS = ["ลบ", "מחק", "Διαγραφή"]
IDS = [
    "btnDelete", "btn_delete", "btndelete", "deleteButton", "HTMLDelete", "ivSend", "action_pay", "fabRemoveAll",
    "delete_2",
]  # fmt: skip
HARMLESS_IDS = ["btnOpen", "archive", "senderName", "action_search", "menuButton", "toolbar_back", "payloadView"]

MIDDLE = Point(500, 468)
"""Of `button` below, in pixels (180, 300)."""
ICON = "60 270 300 330"


def concern(shown: ShownScreen, action: Action = Click(MIDDLE), raw: str = "", guard: Guard = Guard()) -> str:  # noqa: B008
    return guard.concern(action, shown, raw)


def shown(label: str) -> ShownScreen:
    return screen(view(ICON, label, "Button"))


def drag(start: Pixel, *path: Pixel) -> Scroll:
    points = tuple(to_grid(pixel, SIZE) for pixel in (start, *path))
    return Scroll(points[0], points[-1], points)


@pytest.mark.parametrize(
    "raw",
    [
        "Action: call_user()",
        str(ToolCall("computer", {"actions": [], "pending_safety_checks": [{"id": "s1", "message": "Look out."}]})),
        str(ToolCall("click", {"x": 1, "y": 1, "safety_decision": {"decision": "require_confirmation"}})),
    ],
)
def test_who_asks_for_a_person_gets_one(raw: str) -> None:
    assert concern(shown("Open"), raw=raw) == "the model or its server asks for a person"
    assert concern(shown("Open"), raw=str(ToolCall("click", {"x": 1, "y": 1}))) == ""


def test_every_risky_word_is_found_in_its_language() -> None:
    path = Path(risky_words.__file__).with_name("risky_words.toml")
    languages = tomllib.loads(path.read_text("utf-8"))
    assert set(languages) == set(RISKY) == set(LATER) == set(INNOCENT)
    for language in languages.values():
        for word in (*language.get("words", ()), *language.get("parts", ())):
            assert risky_word(f"1 {word.upper()}!"), word
        assert all(map(risky_word, language.get("labels", ())))
        assert not any(map(risky_word, language.get("innocent", ())))
        assert all(map(risky_words.declines, language["declines"]))


@pytest.mark.parametrize("language", RISKY)
def test_risky_labels_are_flagged_and_innocent_ones_are_not(language: str) -> None:
    for label in (*RISKY[language], *LATER[language]):
        assert concern(shown(label)).endswith(f"is under the finger: {label}"), label
    assert [label for label in INNOCENT[language] if concern(shown(label))] == []


@pytest.mark.parametrize("label", [*INVISIBLE, *ALIKE, *ODD, *OTHER_SCRIPTS])
def test_disguised_label_is_read_as_people_read_it(label: str) -> None:
    assert concern(shown(label))


def test_resource_ids_are_taken_apart() -> None:
    assert [name for name in IDS if not concern(screen(view(ICON, "", "ImageButton", id=f"{APP}:id/{name}")))] == []
    names = [name for name in HARMLESS_IDS if concern(screen(view(ICON, "", "ImageButton", id=f"{APP}:id/{name}")))]
    assert names == []


def test_risky_word_is_flagged_regardless_of_context() -> None:
    assert (risky_word("Install date"), risky_word("Gesendet. Löschen?")) == ("install", "löschen")


# What will be done, not what it is called.


@pytest.mark.parametrize("path", [(), (Pixel(180, 300),), (Pixel(182, 301),), (Pixel(200, 310),), (Pixel(260, 300),)])
def test_drag_that_android_may_take_for_a_press_is_one(path: tuple[Pixel, ...]) -> None:
    assert concern(shown("Delete"), drag(Pixel(180, 300), *path))
    assert not concern(shown("Open"), drag(Pixel(180, 300), *path))


def test_drag_on_the_spot_is_recorded_as_a_press_and_called_one() -> None:
    here = Pixel(180, 300)
    assert recorded_as(drag(here), shown("Open")) == Click(to_grid(here, SIZE))
    assert recorded_as(drag(*[here] * 60), shown("Open")) == LongPress(to_grid(here, SIZE))
    away = drag(here, Pixel(180, 100))
    assert recorded_as(away, shown("Open")).__class__ is Scroll
    assert recorded_as(Type("a"), shown("Open")) == Type("a")


def test_scrolling_past_a_risky_element_is_not_asked_about() -> None:
    listed = screen(view("0 32 360 592", "", "ListView", view(ICON, "Delete", "Button"), scrollable=True))
    assert not concern(listed, drag(Pixel(180, 300), Pixel(180, 100)))


def test_slider_is_named_by_its_track() -> None:
    thumb = view("40 500 80 540", "", "ImageView", clickable=True, desc="Arrow")
    slider = screen(view("40 500 320 540", "Slide to pay", "TextView"), thumb)
    assert "'pay'" in concern(slider, drag(Pixel(60, 520), Pixel(310, 520)))


def test_finger_that_rests_and_then_moves_picks_something_up() -> None:
    path = (*[Pixel(180, 300)] * 60, Pixel(180, 100))
    assert "pick something up" in concern(shown("Open"), drag(Pixel(180, 300), *path))


# What nobody can name.

UNKNOWN = {
    "no element": screen(view("0 0 100 100", "Title")),
    "canvas": screen(view("0 32 360 592", "", "SurfaceView")),
    "small canvas": screen(view("0 200 360 400", "", "WebView", desc="Page")),
    "game": screen(view("0 32 360 592", "Game view", "View", clickable=True)),
    "huge button": screen(view("0 32 360 592", "Open", "Button")),
    "no name": screen(view(ICON, "", "ImageView", clickable=True)),
    "blank name": screen(view(ICON, " \u200b", "ImageView", clickable=True, id=f"{APP}:id/imageView3")),
    "picture": screen(view(ICON, "\U0001f5d1\ufe0f", "Button")),
    "icon font": screen(view(ICON, "\ue872", "View", clickable=True)),
    "shrunk name": screen(view(ICON, "", "ImageView", clickable=True, id=f"{APP}:id/im4")),
    "text in a list": screen(view("0 32 360 592", "", "ListView", view(ICON, "Chapter 2"), scrollable=True)),
    "text in a page": screen(view("0 32 360 592", "", "WebView", view(ICON, "Chapter 2"))),
    "text in a sheet": screen(view("0 300 360 592", "", "ScrollView", view("60 300 300 330", "More"), scrollable=True)),
    "another app": screen(view(ICON, "Open", "Button", package="com.evil.overlay")),
    "window above": screen(
        window(1, view("0 32 360 592", "Files"), view(ICON, "Open", "Button")),
        window(2, view(ICON, "Open", "Button", package="com.evil.overlay"), focused=False),
    ),
    "page with the ids of Android's buttons": screen(
        window(
            0,
            view("0 0 360 640", "", "WebView"),
            *(
                view(f"{x} 270 {x + 80} 330", "Delete", "Button", id=f"com.android.systemui:id/{name}")
                for x, name in ((40, "home"), (140, "back"), (240, "recent_apps"))
            ),
        )
    ),
    "pop-up": screen(view("0 0 360 640", "", "View", view(ICON, "Open", "Button")), on=state(has_pop_up=True)),
    "keyboard": screen(view(ICON, "Open", "Button"), on=state(keyboard=Box(0, 250, 360, 592))),
    "no tree": shown_screen(()),
}  # fmt: skip


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_is_asked_about(name: str) -> None:
    assert concern(UNKNOWN[name])


KNOWN = {
    "row": screen(
        view("0 32 360 592", "", "ListView", view(ICON, "", "View", view("70 280 200 300", "Wi-Fi"), clickable=True))
    ),
    "switch": screen(view("0 260 360 340", "Wi-Fi", "TextView"), view("170 290 190 310", "", "Switch", clickable=True)),
    "field": screen(view(ICON, "", "EditText", clickable=True)),
    "icon": screen(view(ICON, "", "ImageView", clickable=True, desc="More options")),
    "id": screen(view(ICON, "", "ImageView", clickable=True, id=f"{APP}:id/toolbar_back")),
    "around a dialog": screen(view("0 0 360 640", "Dismiss", "View", clickable=True)),
    "key": screen(view(ICON, "+", "Button")),
    "unit": screen(view(ICON, "5 µm", "Button")),
    "mixed": screen(view(ICON, "Wi-Fiを表示", "Button")),
    "text": screen(view("0 0 360 640", "", "FrameLayout", view(ICON, "Chapter 2"))),
    "navigation bar": screen(
        window(0, view("0 0 360 640", "", "WebView")),
        window(
            1,
            *(
                view(f"{x} 290 {x + 60} 310", "", "View", clickable=True, package="com.android.systemui", desc=name,
                     id=f"com.android.systemui:id/{name}")
                for x, name in ((60, "back"), (150, "home"), (240, "recent_apps"))
            ),
            focused=False,
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_known_and_harmless_is_not_asked_about(name: str) -> None:
    assert concern(KNOWN[name]) == ""


def test_switch_without_a_name_has_that_of_its_row() -> None:
    switch = view("170 290 190 310", "", "Switch", clickable=True)
    assert "'allow'" in concern(screen(view("0 260 160 340", "Allow access"), switch))


# Typing.


def field(hint: str = "Note", **attributes: str | bool) -> ShownScreen:
    return screen(view(ICON, "", "EditText", hint=hint, clickable=True, **({"focused": True} | attributes)))


def test_text_goes_only_into_a_known_field() -> None:
    assert concern(field(), Type("two words")) == ""
    for shown_field, text in (
        (field(), "sent\n"),
        (field(), "one\ntwo"),
        (field(), "one\rtwo"),
        (field(), "one\u2028"),
        (field(), "name\tsecret"),
        (field(focused=False), "a"),
        (field("Passwort"), "a"),
        (field("Code", id=f"{APP}:id/etPassword"), "a"),
        (field("", desc="密码"), "a"),
        (field(password=True), "a"),
        (field(package="com.evil.overlay"), "a"),
        (shown_screen(()), "a"),
    ):
        assert concern(shown_field, Type(text)), (shown_field.nodes, text)


# Dialogs, and what the model says.


def dialog(says: str, *labels: str) -> ShownScreen:
    buttons = [view(f"{60 + 120 * at} 270 {180 + 120 * at} 330", label, "Button") for at, label in enumerate(labels)]
    return screen(
        view(
            "0 0 360 640",
            "",
            "FrameLayout",
            view("40 150 340 340", "", "LinearLayout", view("60 170 300 250", says), *buttons),
        )
    )


LEFT, RIGHT = Point(330, 468), Point(660, 468)


def test_yes_in_a_dialog_is_judged_by_what_the_dialog_says() -> None:
    for says, no, yes in (
        ("Delete note?", "Cancel", "OK"),
        ("This erases everything. You cannot undo it. Wipe it", "No", "Yes"),
        ("Soll das weg?", "Abbrechen", "Ja"),
        ("続行しますか\uff1f", "キャンセル", "続ける"),
        ("هل تريد المتابعة؟", "إلغاء", "متابعة"),
        ("Silinsin mi?", "Cancel", "Sil"),
    ):
        assert concern(dialog(says, no, yes), Click(RIGHT)), says
        assert concern(dialog(says, no, yes), Click(LEFT)) == "", says
    assert concern(dialog("Set the time", "Cancel", "OK"), Click(RIGHT)) == ""
    assert concern(dialog("This erases the phone. Reset it", "OK"), Click(LEFT))


def test_permission_dialog_may_only_be_declined() -> None:
    def asks(label: str) -> ShownScreen:
        package = "com.google.android.permissioncontroller"
        return screen(view(ICON, label, "Button", package=package), on=state(package=package))

    assert concern(asks("Beim Benutzen der App"))
    assert concern(asks("Continue"))
    assert concern(asks("Nicht zulassen")) == ""


@pytest.mark.parametrize(
    "raw",
    [
        '{"reason": "I delete the note.", "action": "CLICK", "x": 500, "y": 468}',
        "Thought: The menu is open. I will tap the first icon to remove the photo.\nAction: click(start_box='(1,2)')",
        "Thought: 点击这个图标删除照片\nAction: click(start_box='(1,2)')",
        "<thinking>Now I confirm the payment</thinking><answer>do(...)</answer>",
    ],
)
def test_model_that_says_what_it_is_about_to_do_is_heard(raw: str) -> None:
    assert "the model says" in concern(shown("Sil"), raw=raw)


def test_task_of_a_step_is_not_what_it_does() -> None:
    raw = "Thought: The task is to delete the note. First I open it with “Pancakes”.\nAction: click(start_box='(1,2)')"
    assert concern(shown("Pancakes"), raw=raw) == ""


def test_suggested_answer_may_be_sent_at_once() -> None:
    chips = view(
        "0 270 360 330",
        "",
        "HorizontalScrollView",
        view("60 270 300 330", "See you", "View", clickable=True),
        scrollable=True,
    )
    composer = (
        view("0 340 300 400", "", "EditText", clickable=True),
        view("300 340 360 400", "", "ImageButton", desc="Send"),
    )
    assert "sent at once" in concern(screen(chips, *composer))
    assert concern(screen(chips)) == ""


def test_address_may_lead_out_of_the_allowed_apps() -> None:
    link = shown("https://example.org/?q=1")
    assert "not allowed" in concern(link, guard=Guard(packages=(APP,)))
    assert concern(link) == ""


def test_only_allowed_apps_are_touched() -> None:
    guard = Guard(packages=("org.example.other",))
    assert concern(shown("Open"), guard=guard) == f"the app {APP} is not allowed"
    assert concern(shown("Open"), Press(SystemKey.HOME), guard=guard) == ""
