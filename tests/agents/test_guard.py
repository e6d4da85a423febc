"""The guard of agents: labels as apps have them, in each language, on a screen with a view hierarchy."""

import tomllib
from pathlib import Path

import pytest

from odyssey_recorder.agents import guard
from odyssey_recorder.agents.guard import Guard, risky_word
from odyssey_recorder.device.view_hierarchy import parse
from odyssey_recorder.model.action import Click
from odyssey_recorder.model.geometry import Point
from odyssey_recorder.recording.provenance_records import EpochClock, encode_frame
from odyssey_recorder.recording.step_writer import SavedFrame, ShownScreen
from tests.fakes import FakeDevice

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
INNOCENT = {
    "en": ["Sender", "payload", "Buyer's guide", "PayPal", "Undeleted", "Installed", "Repayment", "sendmail"],
    "de": ["Sendersuche", "Bezahlt", "Löschpapier", "Einkaufen", "Verkaufen", "Zahlenschloss", "Kalender"],
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
}


def shown(label: str) -> ShownScreen:
    frame = FakeDevice().capture()
    node = f'<node text="{label}" class="android.widget.Button" clickable="true" bounds="[60,270][300,330]"/>'
    kept = SavedFrame(frame, Path("1.png"), encode_frame(frame, EpochClock())[1])
    return ShownScreen(kept, parse(f"<hierarchy>{node}</hierarchy>"), None, ())


def test_every_risky_word_is_found_in_its_language() -> None:
    path = Path(guard.__file__).with_name("risky_words.toml")
    languages = tomllib.loads(path.read_text("utf-8"))
    assert set(languages) == set(RISKY) == set(INNOCENT)
    for language in languages.values():
        for word in (*language.get("words", ()), *language.get("parts", ())):
            assert risky_word(f"1 {word.upper()}!"), word
        assert not any(map(risky_word, language.get("innocent", ())))


@pytest.mark.parametrize("language", RISKY)
def test_risky_labels_are_flagged_and_innocent_ones_are_not(language: str) -> None:
    def concern(label: str) -> str:
        return Guard().concern(Click(Point(500, 468)), shown(label), "")

    for label in RISKY[language]:
        assert concern(label).endswith(f"is under the finger: {label}"), label
    assert [label for label in INNOCENT[language] if concern(label)] == []


def test_risky_word_is_flagged_regardless_of_context() -> None:
    assert (risky_word("Install date"), risky_word("Gesendet. Löschen?")) == ("install", "löschen")
