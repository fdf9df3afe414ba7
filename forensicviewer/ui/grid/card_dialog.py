"""The model card of one run, to look at and to type in."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.grid.card import ModelCard, card_from, texts_of
from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.heading import Heading
from forensicviewer.ui.widgets.plain_text import PlainLabel

FIELDS = {
    "model": to_translate("Model"),
    "backbone": to_translate("Backbone"),
    "extractor": to_translate("Feature extractor"),
    "protocol": to_translate("Protocol"),
    "training_sets": to_translate("Training sets"),
    "test_sets": to_translate("Test sets of the log"),
    "input_size": to_translate("Input size"),
    "parameters": to_translate("Parameters"),
    "flops": to_translate("FLOPs"),
}
_EXAMPLES = {
    "protocol": "Protocol-MVSS",
    "training_sets": "CASIAv2, IMD2020",
    "test_sets": "COVERAGE, Columbia",
    "input_size": "512x512",
    "parameters": "68.7M",
    "flops": "236G",
}


class CardDialog(QDialog):
    """A line for each field; ``card`` is what they say."""

    def __init__(self, name: str, card: ModelCard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Model card"))
        texts, form = texts_of(card), QGridLayout()
        self.lines: dict[str, QLineEdit] = {}
        for row, (field, title) in enumerate(FIELDS.items()):
            line = self.lines[field] = QLineEdit(texts[field], self)
            line.setAccessibleName(tr(title))
            line.setPlaceholderText(_EXAMPLES.get(field, ""))
            form.addWidget(PlainLabel(tr(title)), row, 0)
            form.addWidget(line, row, 1)
        buttons = QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel
        box = QDialogButtonBox(buttons)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        about = PlainLabel(
            tr("Separate datasets by commas. Saved as model.json in {name}", name=name)
        )
        about.setWordWrap(True)
        about.setProperty("role", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 18, 18, 18)
        column.setSpacing(10)
        column.addWidget(Heading(tr("Model card")))
        column.addLayout(form)
        column.addWidget(about)
        column.addWidget(box)
        open_in(self, 520, 460)

    @property
    def card(self) -> ModelCard:
        return card_from({field: line.text() for field, line in self.lines.items()})
