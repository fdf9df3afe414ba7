"""Tables a user names are used instead of the dataset's own."""

from pathlib import Path

from forensicviewer.app.datasets.named_tables import open_provenance_task, with_named_journals
from forensicviewer.app.datasets.opening import open_task
from forensicviewer.core.problem import ProblemLog
from tests.build import a_dataset, write_table
from tests.provenance_build import a_provenance_dataset


def test_a_named_world_without_images_is_used_nevertheless(tmp_path: Path) -> None:
    links = [("base", "probe")]
    root, _ = a_provenance_dataset(tmp_path).with_probe("probe", links=links).write()
    write_table(root / "indexes" / "empty.csv", ["TaskID", "WorldFileID", "WorldFileName"], [])

    task = open_provenance_task(root, name="provenance", world=Path("indexes/empty.csv"))

    assert task.world is not None
    assert len(task.world) == 0
    assert task.files["world"] == "indexes/empty.csv"


def test_a_named_table_is_found_from_a_folder_inside_the_dataset(tmp_path: Path) -> None:
    root = a_dataset(tmp_path).with_trial("p1").write().root
    write_table(root / "mine.csv", ["JournalName"], [["journal"]])
    folder = root / "indexes"
    _, task = open_task(folder, name=None)

    named = with_named_journals(
        task,
        dataset=folder,
        journal_mask=Path("mine.csv"),
        probe_journal_join=None,
        log=ProblemLog(),
    )

    assert named.journal_masks is not None
    assert named.journal_masks.name == "mine.csv"
    assert named.probe_journals is task.probe_journals
