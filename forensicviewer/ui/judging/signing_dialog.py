"""Asks for the key that signs a judge's verdicts, and countersigns the logs of the others."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.judging import signing
from forensicviewer.app.judging.review_book import ReviewBook
from forensicviewer.app.judging.signing import KeyState, Signer
from forensicviewer.app.language.words import tr, tr_many
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.session.desk import Desk
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.heading import Heading
from forensicviewer.ui.widgets.plain_text import PlainLabel

_LANE = Lane("signing", is_far=True)


class SigningDialog(QDialog):
    """Creates or unlocks the judge's key; once it is open, shows its fingerprint."""

    def __init__(
        self, desk: Desk, tell: Callable[[str], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Sign verdicts"))
        self._desk, self._tell = desk, tell
        self.state = KeyState.NONE
        self.title, self.about, self.wrong = Heading(), PlainLabel(), PlainLabel()
        self.about.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.first, self.second = _secret(), _secret()
        self.go, self.countersign = QPushButton(), QPushButton(tr("Countersign logs"))
        self.countersign.setToolTip(tr("Record in your log how long every other log is now"))
        self._lay_out()
        open_in(self, 520, 300)
        self._look()

    def _lay_out(self) -> None:
        for label in (self.about, self.wrong):
            label.setWordWrap(True)
        self.wrong.setProperty("role", "warning")
        self._form = QFormLayout()
        self._form.addRow(tr("Passphrase"), self.first)
        self._form.addRow(tr("Again"), self.second)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        box.addButton(self.go, QDialogButtonBox.ButtonRole.ActionRole)
        box.addButton(self.countersign, QDialogButtonBox.ButtonRole.ActionRole)
        box.rejected.connect(self.close)
        self.go.clicked.connect(lambda: self._go())
        self.countersign.clicked.connect(lambda: self._countersign())
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 18, 18, 18)
        column.setSpacing(10)
        column.addWidget(self.title)
        column.addWidget(self.about)
        column.addLayout(self._form)
        column.addWidget(self.wrong)
        column.addStretch(1)
        column.addWidget(box)

    @property
    def _name(self) -> str:
        """The id of the judge, who may have been changed beside this dialog; blank without one."""
        book = self._desk.judging.book
        judge = book.review.judge_named(book.judge) if isinstance(book, ReviewBook) else None
        return "" if judge is None else judge.id

    def _look(self) -> None:
        name = self._name
        if not name:
            self._show(None, tr("Open a review and choose your name: its verdicts can be signed."))
            return
        self._show(None, tr("Looking for the key…"))
        self._desk.jobs.submit(_LANE, lambda: signing.key_state(name), self._show_state)

    def _show_state(self, state: KeyState) -> None:
        words = {
            KeyState.NONE: tr(
                "Create a key on this machine; every verdict you give from then on is signed with "
                "it. The passphrase is optional: with one, the program asks for it once per start."
            ),
            KeyState.LOCKED: tr("Your key is locked. Verdicts are not saved until it is unlocked."),
            KeyState.OPEN: "",
        }
        if state is KeyState.OPEN:
            self._show_open(signing.signer_of(self._name))
        else:
            self._show(state, words[state])

    def _show_open(self, signer: Signer | None) -> None:
        if signer is not None:
            key = signing.fingerprint(signer.public)
            self._show(
                KeyState.OPEN, tr("Your verdicts are signed. Tell the other judges: {key}", key=key)
            )

    def _show(self, state: KeyState | None, about: str) -> None:
        self.state = state or KeyState.NONE
        self.title.setText(self._desk.judge)
        self.about.setText(about)
        self.wrong.clear()
        asks = state in (KeyState.NONE, KeyState.LOCKED)
        self._form.setRowVisible(self.first, asks)
        self._form.setRowVisible(self.second, state is KeyState.NONE)
        self.go.setVisible(asks)
        self.go.setText(tr("Create key") if state is KeyState.NONE else tr("Unlock"))
        self.countersign.setVisible(bool(self._name) and state is not KeyState.LOCKED)
        button = self.go if asks else self.countersign
        button.setDefault(True)
        if asks:
            self.first.setFocus()

    def _go(self) -> None:
        name, secret = self._name, self.first.text()
        if self.state is KeyState.NONE and secret != self.second.text():
            self.wrong.setText(tr("The two passphrases differ"))
            self.second.setFocus()
            return
        act = signing.make_key if self.state is KeyState.NONE else signing.unlock
        self._desk.jobs.submit(
            _LANE,
            lambda: act(name, passphrase=secret),
            self._show_open,
            on_error=self._refuse,
        )
        self.first.clear()
        self.second.clear()

    def _refuse(self, error: BaseException) -> None:
        if not isinstance(error, ForensicViewerError):
            self._desk.fail(error)
            return
        self.wrong.setText(tr("The key cannot be read; check the passphrase"))
        self.first.setFocus()

    def _countersign(self) -> None:
        def said(count: int) -> None:
            self._tell(
                tr_many(
                    "Your log now records the length of {count} other log",
                    "Your log now records the length of {count} other logs",
                    count,
                )
            )

        self._desk.judging.countersign(said)


def _secret() -> QLineEdit:
    line = QLineEdit()
    line.setEchoMode(QLineEdit.EchoMode.Password)
    return line
