"""Each rule finds its fault in a drawn mask, and is silent about the right one."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from forensicviewer.core.array import BoolImage, RgbImage
from forensicviewer.core.model import Operation, TrialId
from forensicviewer.core.problem import Severity
from forensicviewer.core.quality.change import change_from_base
from forensicviewer.core.quality.journal import check_journal
from forensicviewer.core.quality.levels import Levels, levels_of, unlike_levels
from forensicviewer.core.quality.marks import check_colours, check_planes, compare_marks
from forensicviewer.core.quality.placement import check_placement
from forensicviewer.core.quality.rule import RULES, Suspect, TrialSuspect, ranked
from forensicviewer.core.quality.shape import (
    coverage,
    specks_and_holes,
    thin_and_framed,
    unlike_pixel_size,
)

SHAPE = (120, 160)
AREA = np.s_[30:80, 40:100]


def _area() -> BoolImage:
    area = np.zeros(SHAPE, np.bool_)
    area[AREA] = True
    area[80:95, 40:60] = True
    return area


def _images() -> tuple[RgbImage, RgbImage]:
    rng = np.random.default_rng(3)
    base = rng.integers(60, 120, (*SHAPE, 3), dtype=np.uint8)
    probe = base.copy()
    probe[_area()] += 90
    return probe, base


def _placed(area: BoolImage) -> list[Suspect]:
    change = change_from_base(*_images())
    assert change is not None
    return list(check_placement(area, change, is_whole=True))


def _rules(found: list[Suspect]) -> list[str]:
    return [one.rule for one in found]


def _operation(number: int, color: tuple[int, int, int], plane: int) -> Operation:
    return Operation(
        name=f"Paste{number}",
        journal="j",
        start_node=f"{number - 1}",
        end_node=f"{number}",
        color=color,
        bit_plane=plane,
        sequence=number,
    )


def test_a_mask_that_lies_where_the_probe_changed_is_no_suspect() -> None:
    assert _placed(_area()) == []


@pytest.mark.parametrize(
    ("wrong", "rule", "evidence"),
    [
        (~_area(), "inverted", "inverted 1.00"),
        (np.roll(_area(), 3, axis=1), "transform", "move it by -3, +0 pixels"),
        (np.roll(_area(), (4, -5), axis=(0, 1)), "transform", "move it by +5, -4 pixels"),
        (_area()[::-1], "transform", "flip it upside down"),
        (_area()[:, ::-1], "transform", "flip it left to right"),
    ],
)
def test_a_misplaced_mask_is_told_how_to_be_mended(
    wrong: BoolImage, rule: str, evidence: str
) -> None:
    found = _placed(wrong)

    assert _rules(found) == [rule]
    assert evidence in found[0].evidence


def test_a_mask_over_a_soft_change_is_moved_by_single_pixels() -> None:
    probe, base = _images()
    amount = cv2.GaussianBlur(_area().astype(np.float32) * 16, (0, 0), 5)
    probe = np.asarray(base + amount[:, :, None], np.uint8)
    change = change_from_base(probe, base)
    assert change is not None

    assert list(check_placement(_area(), change, is_whole=True)) == []
    (found,) = check_placement(np.roll(_area(), (2, -3), (0, 1)), change, is_whole=True)

    assert found.rule == "transform"
    assert "move it by +3, -2 pixels" in found.evidence


def test_a_mask_of_another_shape_is_told_although_no_transform_mends_it() -> None:
    small = cv2.resize(_area().astype(np.uint8), (13, 10), interpolation=cv2.INTER_AREA)
    in_blocks = cv2.resize(small, SHAPE[::-1], interpolation=cv2.INTER_NEAREST) > 0

    (found,) = _placed(np.asarray(in_blocks))

    assert found.rule == "boundary"


def test_changes_far_from_the_mask_are_shown() -> None:
    probe, base = _images()
    probe[100:118, 130:158] += 90
    change = change_from_base(probe, base)
    assert change is not None

    (found,) = check_placement(_area(), change, is_whole=True)

    assert found.rule == "unmarked-change"
    assert found.spot is not None
    assert found.spot[105, 140]
    assert not found.spot[50, 50]


@pytest.mark.parametrize(
    ("area", "rules"),
    [
        (np.zeros(SHAPE, np.bool_), ["empty"]),
        (np.ones(SHAPE, np.bool_), ["full"]),
        (~_area(), ["inverted"]),
        (_area(), []),
    ],
)
def test_a_mask_alone_tells_whether_it_is_empty_full_or_inverted(
    area: BoolImage, rules: list[str]
) -> None:
    assert _rules(list(coverage(area))) == rules


def test_specks_and_holes_are_those_the_base_contradicts() -> None:
    change = change_from_base(*_images())
    area = _area()
    assert list(specks_and_holes(area, change)) == []

    area[4:24:4, 130:150:4] = True
    area[36:70:6, 46:90:6] = False
    found = {one.rule: one for one in specks_and_holes(area, change)}

    assert found["specks"].evidence == "25 parts of at most 30 pixels"
    assert found["holes"].spot is not None
    assert found["holes"].spot[36, 46]


@pytest.mark.parametrize(
    ("cell", "area_px", "is_suspect"),
    [
        ("small", 900, False),
        ("small", 40_000, True),
        ("large", 40_000, False),
        ("large", 500, True),
        ("medium", 4_000, False),
        ("1200", 1210, False),
        ("1200", 1900, True),
    ],
)
def test_composite_pixel_size_is_compared_with_the_area(
    cell: str, area_px: int, *, is_suspect: bool
) -> None:
    assert (unlike_pixel_size(cell, area_px, 1_000_000) is not None) is is_suspect


def test_colours_and_operations_must_name_each_other() -> None:
    red, blue = (250, 10, 10), (10, 10, 250)
    operations = (_operation(1, red, 1), _operation(2, blue, 2))
    colours = np.full((*SHAPE, 3), 255, np.uint8)
    colours[10:40, 10:40], colours[60:90, 60:90] = red, blue
    assert list(check_colours(colours, operations, may_lack=False)) == []

    colours[10:40, 10:40] = (250, 11, 10)
    found = list(check_colours(colours, operations, may_lack=False))

    assert _rules(found)[0] == "mark-without-operation"
    assert "900 pixels are 250 11 10" in found[0].evidence
    assert "Paste1 has 250 10 10" in found[0].evidence
    assert _rules(found)[1] == "operation-without-area"


def test_a_colour_mask_moved_by_two_pixels_differs_from_its_planes() -> None:
    area = np.zeros((1000, 1000), np.bool_)
    area[100:800, 100:800] = True
    operation = _operation(1, (200, 0, 40), 1)
    planes = area[:, :, None].astype(np.uint8)

    def found(painted: BoolImage) -> list[str]:
        colours = np.full((*area.shape, 3), 255, np.uint8)
        colours[painted] = (200, 0, 40)
        return _rules(list(compare_marks(colours, planes, [operation])))

    assert found(area) == []
    assert "colours-unlike-planes" in found(np.roll(area, 2, axis=1))


def test_many_rare_colours_are_told_together() -> None:
    """Noise on the levels of a mask: hardly two pixels have the same colour."""
    colours = np.full((*SHAPE, 3), 255, np.uint8)
    colours[_area()] = (200, 0, 40)
    right = list(check_colours(colours, [_operation(1, (200, 0, 40), 1)], may_lack=False))
    drawn = np.random.default_rng(4).integers(0, 12, colours.shape, np.uint8)
    noisy = np.where(_area()[..., None], np.abs(colours.astype(np.int16) - drawn), colours)

    found = list(
        check_colours(noisy.astype(np.uint8), [_operation(1, (200, 0, 40), 1)], may_lack=True)
    )

    assert right == []
    assert _rules(found)[-1] == "mark-without-operation"
    assert "unknown colours" in found[-1].evidence


def test_a_black_mask_with_noise_is_told_and_smooth_edges_are_not() -> None:
    grey = np.where(_area(), 0, 255).astype(np.uint8)
    drawn = np.random.default_rng(4).integers(0, 12, SHAPE, np.uint8)
    noisy = np.where(_area(), drawn, 255).astype(np.uint8)
    smooth = np.asarray(cv2.GaussianBlur(grey, (0, 0), 1.5), np.uint8)

    def found(levels: np.ndarray) -> list[str]:
        return _rules(list(check_colours(np.dstack([levels] * 3), (), may_lack=False)))

    assert found(grey) == found(smooth) == []
    assert found(noisy) == ["mark-without-operation"]


def test_planes_are_compared_with_operations_and_colours() -> None:
    red, blue = (250, 10, 10), (10, 10, 250)
    operations = (_operation(1, red, 1), _operation(2, blue, 2))
    colours = np.full((*SHAPE, 3), 255, np.uint8)
    colours[10:40, 10:40], colours[60:90, 60:90] = red, blue
    planes = np.zeros((*SHAPE, 1), np.uint8)
    planes[10:40, 10:40] |= 1
    planes[60:90, 60:90] |= 2
    assert list(check_planes(planes, operations)) == []
    assert list(compare_marks(colours, planes, operations)) == []

    wrong = np.where(planes == 2, 4, planes).astype(np.uint8)

    assert set(_rules(list(check_planes(wrong, operations)))) == {
        "operation-without-area",
        "mark-without-operation",
    }
    assert "colours-unlike-planes" in _rules(list(compare_marks(colours, wrong, operations)))


def test_a_missing_step_of_the_journal_is_found() -> None:
    whole = tuple(_operation(number, (number, 0, 0), number) for number in (1, 2, 3))
    rest = (whole[0], whole[2])

    def found(operations: tuple[Operation, ...]) -> list[str]:
        return [
            one.evidence
            for one in check_journal(
                operations, {"JournalName": "j"}, undescribed=0, are_chained=True, has_journals=True
            )
        ]

    assert found(whole) == []
    assert "Sequence numbers 2 are missing" in found(rest)
    assert found(()) == ["The journal j lists no operation"]


def test_errors_come_first_and_the_surest_of_them() -> None:
    names = (("specks", 0.9), ("empty", 0.2), ("full", 0.8))
    found = [TrialSuspect("t", TrialId(n), 0, Suspect(n, "", score)) for n, score in names]

    assert [one.trial for one in ranked(found)] == ["full", "empty", "specks"]


def test_every_rule_has_a_remedy_and_a_rate() -> None:
    assert all(rule.remedy and " of " in rule.rate for rule in RULES)


def test_a_colour_of_another_branch_of_the_journal_may_be_missing() -> None:
    chosen = Operation("j", "n1", "n2", "Paste", color=(255, 0, 0))
    other = Operation("j", "n1", "n3", "Heal", color=(0, 0, 255))
    colours = np.full((40, 40, 3), 255, np.uint8)
    colours[5:20, 5:20] = (255, 0, 0)

    (told,) = check_colours(colours, [chosen, other], may_lack=False)
    (alone,) = check_colours(colours, [chosen, replace(other, start_node="n7")], may_lack=False)

    assert (told.rule, told.level) == ("operation-without-area", Severity.NOTE)
    assert "another branch" in told.evidence
    assert alone.level is Severity.ERROR


def _grown(px: int) -> BoolImage:
    kernel = np.ones((2 * px + 1, 2 * px + 1), np.uint8)
    return np.asarray(cv2.dilate(_area().astype(np.uint8), kernel) > 0)


def test_a_mask_with_a_wide_margin_is_too_large() -> None:
    (found,) = _placed(_grown(24))

    assert found.rule == "too-large"
    assert "of the marked pixels lie where the probe equals" in found.evidence


def test_a_probe_that_is_its_base_has_not_changed() -> None:
    _, base = _images()
    change = change_from_base(base, base)
    assert change is not None

    assert _rules(list(check_placement(_area(), change, is_whole=True))) == ["no-change"]


def test_a_frame_and_a_torn_mask_are_seen_without_a_base() -> None:
    framed, torn = _area(), _area()
    framed[0] = framed[-1] = framed[:, 0] = framed[:, -1] = True
    torn[::2] = False

    assert _rules(list(thin_and_framed(_area()))) == []
    assert _rules(list(thin_and_framed(framed))) == ["frame"]
    assert _rules(list(thin_and_framed(torn))) == ["torn"]


def _levels(*values: int) -> Levels:
    mask = np.full((20, 20, 3), values[0], np.uint8)
    for number, value in enumerate(values[1:]):
        mask[2 + 6 * number : 7 + 6 * number, 3:12] = value
    return levels_of(mask)


def test_a_mask_with_grey_levels_is_told_among_masks_without() -> None:
    plain = {row: _levels(0, 255) for row in range(9)}

    (found,) = unlike_levels(plain | {9: _levels(0, 255, 17)})
    (off_by_one,) = unlike_levels(plain | {9: _levels(1, 255)})

    assert (found[0], found[1].rule) == (9, "levels")
    assert found[1].evidence.startswith("45 pixels differ from 0 and 255")
    assert off_by_one[0] == 9
    assert list(unlike_levels(plain)) == []
    assert list(unlike_levels({row: _levels(0, 255, 90 + row) for row in range(9)})) == []
    assert list(unlike_levels({})) == []
