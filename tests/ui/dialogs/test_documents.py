"""The dialog that shows README, documents and system descriptions."""

from __future__ import annotations

from hashlib import md5, sha256
from pathlib import Path

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.datasets.opening import open_dataset, open_submission
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.ui.dialogs.documents import DocumentsDialog, show_documents
from tests.build import two_answered_trials


def test_every_document_of_what_is_open_is_shown(tmp_path: Path, qtbot: QtBot) -> None:
    built = two_answered_trials(tmp_path)
    (built.root / "README.txt").write_text("About this data", "utf-8")
    dataset = open_dataset(built.root)
    bench = Workbench(inline_jobs())
    bench.show_dataset(dataset, dataset.tasks[0])
    bench.add_submissions([open_submission(built.submission, task=dataset.tasks[0])])
    parent = QWidget()
    qtbot.addWidget(parent)

    show_documents(bench.state, bench.jobs, parent)

    (dialog,) = parent.findChildren(DocumentsDialog)
    assert [dialog.titles.item(row).text() for row in range(dialog.titles.count())] == [
        "README.txt",
        built.submission.name,
    ]
    assert dialog.text.toPlainText() == "About this data"
    dialog.titles.setCurrentRow(1)
    table = next(built.submission.glob("*.csv"))
    for name, make in (("MD5", md5), ("SHA-256", sha256)):
        assert f"{name} {make(table.read_bytes()).hexdigest()}  {table.name}" in (
            dialog.text.toPlainText()
        )
    assert "condition ImgOnly" in dialog.text.toPlainText()
    assert "There is no system description" in dialog.text.toPlainText()
    dialog.close()


def test_a_dataset_without_documents_says_so(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = DocumentsDialog((), parent)

    assert "no documents" in dialog.text.toPlainText()
