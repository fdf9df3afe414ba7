"""Pictures of a graph's nodes and links."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from forensicviewer.app.graph.document import GraphDocument
from forensicviewer.app.graph.facts import link_facts
from forensicviewer.app.graph.media import node_thumbnail, read_pair
from forensicviewer.app.graph.review import GraphReview
from forensicviewer.app.runtime.jobs import inline_jobs
from tests.provenance_build import a_provenance_dataset, file_of

JOURNALS = "MFC2019/reference/provenance/journals"


@pytest.fixture
def review(tmp_path: Path) -> GraphReview:
    links = [("base", "crop"), ("crop", "probe")]
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=links)
    built.with_answer("probe", nodes=["base"])
    path = tmp_path / JOURNALS / "journal.json"
    journal = json.loads(path.read_text("utf-8"))
    journal["links"][0] |= {"maskname": "mask.png", "arguments": {"size": 3}, "errors": ["a", "b"]}
    journal["links"][1] |= {"maskname": "../../../outside.png"}
    path.write_text(json.dumps(journal), "utf-8")
    save(tmp_path / JOURNALS / "mask.png", 20, 10)
    save(tmp_path / "MFC2019/world/base.jpg", 40, 30)
    (tmp_path / "MFC2019/world/crop.jpg").write_bytes(b"no picture")
    opened = GraphReview(inline_jobs())
    opened.show(*built.open())
    return opened


def save(path: Path, width: int, height: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.full((height, width, 3), 90, dtype=np.uint8)).save(path)


def document_of(review: GraphReview) -> GraphDocument:
    document = review.state.document
    assert document is not None
    return document


def test_a_pair_has_both_pictures_and_the_mask_of_the_operation(review: GraphReview) -> None:
    assert review.task is not None

    pair = read_pair(review.task, document_of(review), (file_of("base"), file_of("crop")))

    assert pair.first.picture is not None
    assert pair.first.picture.pixels.shape == (30, 40, 3)
    assert pair.second is not None
    assert pair.second.picture is None
    assert pair.second.reason
    assert [mask.operation for mask in pair.masks] == ["TransformResize"]
    assert pair.masks[0].origin == "mask mask.png of the journal"
    assert pair.masks[0].area.shape == (10, 20)


def test_a_mask_outside_the_dataset_is_not_read(review: GraphReview) -> None:
    assert review.task is not None
    document = document_of(review)

    assert read_pair(review.task, document, (file_of("crop"), file_of("probe"))).masks == ()
    assert read_pair(review.task, document, (file_of("probe"), file_of("base"))).masks == ()


def test_thumbnails_are_absent_where_the_image_is(review: GraphReview) -> None:
    assert review.task is not None

    assert node_thumbnail(review.task, file_of("base"), edge_px=16) is not None
    assert node_thumbnail(review.task, file_of("probe"), edge_px=16) is None
    assert node_thumbnail(review.task, "../outside.jpg", edge_px=16) is None


def test_the_journal_entry_of_a_link_is_told(review: GraphReview) -> None:
    link = review.state.links[file_of("base"), file_of("crop")]

    facts = dict(link_facts(document_of(review), link))

    assert facts["arguments"] == "size: 3"
    assert facts["errors"] == "a, b"
    assert facts["maskname"] == "mask.png"
