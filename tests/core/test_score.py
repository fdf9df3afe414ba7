"""The sweep and the regions against counting pixel by pixel."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from forensicviewer.core.array import BoolImage, U8Image
from forensicviewer.core.kernel import Kernels, KernelShape, dilated, eroded, kernel
from forensicviewer.core.mask import ReferenceMask, Region, Regions
from forensicviewer.core.model import Operation
from forensicviewer.core.problem import ScoringError
from forensicviewer.core.score import (
    Confusion,
    LevelCounts,
    ThresholdSweep,
    nist_threshold,
    threshold_from_nist,
)

SHAPE = (9, 11)
scores_images = npst.arrays(np.uint8, SHAPE, elements=st.sampled_from([0, 1, 7, 128, 254, 255]))
code_images = npst.arrays(np.uint8, SHAPE, elements=st.integers(0, 4))


def regions_of(codes: U8Image) -> Regions:
    counts = np.bincount(codes.ravel(), minlength=5)
    return Regions(
        codes=codes,
        selected=codes == Region.MANIPULATED,
        boundary_px=int(counts[2]),
        unselected_px=int(counts[3]),
        opt_out_px=int(counts[4]),
        scored_px=int(counts[0] + counts[1]),
    )


def operation(
    color: tuple[int, int, int] | None = None, *, bit_plane: int | None = None
) -> Operation:
    return Operation("journal", "0", "1", "Paste", color=color, bit_plane=bit_plane)


@given(scores=scores_images, codes=code_images, t=st.integers(0, 256))
def test_the_sweep_agrees_with_counting_pixels(scores: U8Image, codes: U8Image, t: int) -> None:
    sweep = ThresholdSweep.of(scores, regions_of(codes))

    called = scores.astype(int) >= t
    assert sweep.tp[t] == (called & (codes == 1)).sum()
    assert sweep.fp[t] == (called & (codes == 0)).sum()
    assert sweep.fn[t] == (~called & (codes == 1)).sum()
    assert sweep.tn[t] == (~called & (codes == 0)).sum()


@given(scores=scores_images, codes=code_images)
def test_turning_the_mask_and_the_comparison_round_changes_nothing(
    scores: U8Image, codes: U8Image
) -> None:
    sweep = ThresholdSweep.of(scores, regions_of(codes))

    black_is_manipulated = 255 - scores
    for t_nist in (-1, 0, 100, 255):
        called = black_is_manipulated.astype(int) <= t_nist
        assert sweep.tp[255 - t_nist] == (called & (codes == 1)).sum()


@given(scores=scores_images, codes=code_images)
def test_metrics_agree_with_their_formulas_at_every_threshold(
    scores: U8Image, codes: U8Image
) -> None:
    sweep = ThresholdSweep.of(scores, regions_of(codes))

    for t in (0, 1, 128, 255, 256):
        one = sweep.at(t)
        assert np.array_equal(
            [sweep.mcc[t], sweep.nmm[t], sweep.bwl1[t]],
            [one.mcc, one.nmm, one.bwl1],
            equal_nan=True,
        )
        if one.tp:
            assert sweep.f1[t] == pytest.approx(2 * one.tp / (2 * one.tp + one.fp + one.fn))
            assert sweep.iou[t] == pytest.approx(one.tp / (one.tp + one.fp + one.fn))
            assert sweep.precision[t] == pytest.approx(one.tp / (one.tp + one.fp))
            assert sweep.recall[t] == pytest.approx(one.tp / one.positives)
        if one.total:
            assert sweep.accuracy[t] == pytest.approx((one.tp + one.tn) / one.total)
        if one.positives and one.negatives:
            balanced = (one.tp / one.positives + one.tn / one.negatives) / 2
            assert sweep.balanced_accuracy[t] == pytest.approx(balanced)


@given(scores=scores_images, codes=code_images)
def test_the_optimum_is_the_first_largest_mcc_in_nists_order(
    scores: U8Image, codes: U8Image
) -> None:
    sweep = ThresholdSweep.of(scores, regions_of(codes))

    listed = [sweep.mcc[t] for t in sweep.thresholds]
    expected = None if sweep.scored == 0 else sweep.thresholds[int(np.argmax(listed))]
    assert sweep.optimum == expected


@given(scores=scores_images, codes=code_images)
def test_gwl1_is_the_mean_distance_from_the_reference(scores: U8Image, codes: U8Image) -> None:
    sweep = ThresholdSweep.of(scores, regions_of(codes))

    scored = codes <= 1
    wanted = np.where(codes == 1, 255, 0).astype(float)
    if not scored.any():
        assert math.isnan(sweep.gwl1)
    else:
        assert sweep.gwl1 == pytest.approx(np.abs(wanted - scores)[scored].mean() / 255)


@given(scores=scores_images, codes=code_images, level=st.sampled_from([0, 7, 255]))
def test_opting_out_of_a_level_equals_masking_its_pixels(
    scores: U8Image, codes: U8Image, level: int
) -> None:
    codes = np.minimum(codes, 3)
    masked = np.where(scores == level, np.uint8(4), codes)

    afterwards = LevelCounts.of(scores, regions_of(codes)).without_level(level)

    assert np.array_equal(afterwards.table, LevelCounts.of(scores, regions_of(masked)).table)


@given(scores=scores_images, codes=code_images)
def test_sweeps_of_parts_add_up_to_the_sweep_of_the_whole(scores: U8Image, codes: U8Image) -> None:
    whole = ThresholdSweep.of(scores, regions_of(codes))

    top = ThresholdSweep.of(scores[:4], regions_of(codes[:4]))
    rest = ThresholdSweep.of(scores[4:], regions_of(codes[4:]))

    assert np.array_equal((top + rest).tp, whole.tp)
    assert np.array_equal((top + rest).fp, whole.fp)


def test_counts_stay_exact_above_the_precision_of_single_floats() -> None:
    scores = np.full((4100, 4100), 9, np.uint8)

    sweep = ThresholdSweep.of(scores, regions_of(np.zeros_like(scores)))

    assert sweep.fp[9] == 4100 * 4100
    assert sweep.fp[10] == 0


@pytest.mark.parametrize(
    ("shape", "width", "row_sums"),
    [
        (KernelShape.BOX, 3, [3, 3, 3]),
        (KernelShape.DISC, 3, [1, 3, 1]),
        (KernelShape.DISC, 11, [1, 7, 9, 11, 11, 11, 11, 11, 9, 7, 1]),
        (KernelShape.DISC, 15, [1, 9, 11, 13, 13, 15, 15, 15, 15, 15, 13, 13, 11, 9, 1]),
        (KernelShape.DIAMOND, 5, [1, 3, 5, 3, 1]),
        (KernelShape.GAUSSIAN, 17, [17] * 17),
        (KernelShape.LINE, 3, [1, 1, 1]),
    ],
)
def test_kernels_have_nists_shapes(shape: KernelShape, width: int, row_sums: list[int]) -> None:
    assert kernel(shape, width).sum(axis=1).tolist() == row_sums


def test_a_wide_gaussian_kernel_ends_where_doubles_end() -> None:
    wide = kernel(KernelShape.GAUSSIAN, 25)

    across = np.arange(25) - 12.0
    bell = np.exp(-(across[:, None] ** 2 + across[None, :] ** 2) / (2 * 0.3**2))
    assert np.array_equal(wide == 1, bell > 0)


def test_the_edge_of_the_image_neither_erodes_nor_dilates() -> None:
    everything = np.ones((6, 6), np.bool_)

    assert eroded(everything, KernelShape.BOX, 5).all()
    assert not dilated(~everything, KernelShape.BOX, 5).any()


marks = npst.arrays(np.uint8, (14, 16), elements=st.sampled_from([0, 0, 0, 0, 0, 1, 2, 3]))
widths = st.sampled_from([0, 1, 3, 5])


@settings(max_examples=60)
@given(marks=marks, shape=st.sampled_from(KernelShape), erode=widths, dilate=widths, other=widths)
def test_regions_follow_the_closed_form(
    marks: U8Image, shape: KernelShape, erode: int, dilate: int, other: int
) -> None:
    palette = np.array([[255, 255, 255], [255, 0, 0], [0, 255, 0], [1, 2, 3]], np.uint8)
    reference = ReferenceMask.from_colours(
        palette[marks], [operation((255, 0, 0)), operation((0, 255, 0))]
    )

    regions = reference.regions([0], Kernels(shape, erode, dilate, other), opt_out=None)

    chosen: BoolImage = marks == 1
    others: BoolImage = marks > 1
    core = _slowly_eroded(chosen, shape, erode)
    wide = ~_slowly_eroded(~chosen, shape, dilate)
    distraction = ~_slowly_eroded(~others, shape, other)
    boundary_free = ~(wide & ~core)
    unselected_free = ~distraction | core
    assert np.array_equal(regions.codes == Region.MANIPULATED, core)
    assert np.array_equal(regions.codes <= 1, boundary_free & unselected_free)
    assert regions.boundary_px == (~boundary_free & unselected_free).sum()
    assert regions.unselected_px == (~unselected_free).sum()
    assert regions.scored_px == (boundary_free & unselected_free).sum()


def _slowly_eroded(area: BoolImage, shape: KernelShape, width: int) -> BoolImage:
    if width == 0:
        return area
    half = width // 2
    padded = np.pad(area, half, constant_values=True)
    kept = area.copy()
    for dy, dx in np.argwhere(kernel(shape, width)):
        kept &= padded[dy : dy + area.shape[0], dx : dx + area.shape[1]]
    return kept


def test_an_unknown_colour_is_never_scored_and_an_unknown_bit_is_background() -> None:
    kernels = Kernels(KernelShape.BOX, 0, 0, 0)
    colours = np.full((1, 3, 3), 255, np.uint8)
    colours[0, 0] = (10, 20, 30)
    colours[0, 1] = (9, 9, 9)
    planes = np.array([[[1], [2], [0]]], np.uint8)

    by_colour = ReferenceMask.from_colours(colours, [operation((10, 20, 30))])
    by_plane = ReferenceMask.from_planes(planes, [operation(bit_plane=1)])

    assert by_colour.regions(None, kernels).codes.tolist() == [[1, 3, 0]]
    assert by_plane.regions(None, kernels).codes.tolist() == [[1, 0, 0]]
    assert by_colour.unknown.tolist() == [[False, True, False]]


def test_planes_lie_in_bytes_from_the_least_significant_bit() -> None:
    planes = np.zeros((1, 3, 2), np.uint8)
    planes[0, 0, 0] = 1 << 2
    planes[0, 1, 1] = 1 << 0
    operations = [operation(bit_plane=3), operation(bit_plane=9), operation(bit_plane=40)]

    reference = ReferenceMask.from_planes(planes, operations)

    assert reference.area(0).tolist() == [[True, False, False]]
    assert reference.area(1).tolist() == [[False, True, False]]
    assert not reference.area(2).any()


def test_black_masks_ignore_or_exclude_other_colours() -> None:
    rgb = np.array([[[0, 0, 0], [5, 5, 5], [255, 255, 255]]], np.uint8)
    kernels = Kernels(KernelShape.BOX, 0, 0, 0)

    probe = ReferenceMask.from_black(rgb, others_scored=True)
    donor = ReferenceMask.from_black(rgb)

    assert probe.regions(None, kernels).codes.tolist() == [[1, 0, 0]]
    assert donor.regions(None, kernels).codes.tolist() == [[1, 3, 0]]


def test_opted_out_pixels_beat_every_other_reason() -> None:
    rgb = np.array([[[0, 0, 0], [5, 5, 5], [255, 255, 255]]], np.uint8)
    opt_out = np.array([[True, True, False]])

    regions = ReferenceMask.from_black(rgb).regions(
        None, Kernels(KernelShape.BOX, 0, 0, 0), opt_out=opt_out
    )

    assert regions.codes.tolist() == [[4, 4, 0]]
    assert (regions.unselected_px, regions.opt_out_px, regions.scored_px) == (1, 2, 1)


@settings(max_examples=30)
@given(
    marks=npst.arrays(np.uint8, (5, 6), elements=st.integers(0, 11)),
    chosen=st.sets(st.integers(0, 9)),
)
def test_many_colours_are_told_apart_exactly(marks: U8Image, chosen: set[int]) -> None:
    palette = np.array(
        [[255, 255, 255], [250, 9, 9], *[[i, 2 * i, 255] for i in range(10)]], np.uint8
    )
    operations = [operation((i, 2 * i, 255)) for i in range(10)]

    reference = ReferenceMask.from_colours(palette[marks], operations)
    selected, others = reference.split(chosen)

    wanted = np.isin(marks, [i + 2 for i in chosen])
    assert np.array_equal(selected, wanted)
    assert np.array_equal(others, (marks > 0) & ~wanted)
    assert np.array_equal(reference.unknown, marks == 1)


def test_an_operation_marked_in_white_owns_the_background() -> None:
    rgb = np.array([[[255, 255, 255], [9, 9, 9], [1, 1, 1], [255, 255, 255]]], np.uint8)
    reference = ReferenceMask.from_colours(rgb, [operation((255, 255, 255)), operation((1, 1, 1))])

    assert reference.area(0).tolist() == [[True, False, False, True]]
    assert reference.area(1).tolist() == [[False, False, True, False]]


def test_a_mask_of_another_size_cannot_be_scored() -> None:
    with pytest.raises(ScoringError, match="3x2, but the reference is 4x2"):
        ThresholdSweep.of(np.zeros((2, 3), np.uint8), regions_of(np.zeros((2, 4), np.uint8)))


def test_without_pixels_every_metric_is_undefined() -> None:
    nothing = ThresholdSweep.of(
        np.zeros((2, 2), np.uint8), regions_of(np.full((2, 2), 2, np.uint8))
    )

    values = [nothing.auc, nothing.eer, nothing.gwl1, nothing.soft_nmm, nothing.mcc[0]]
    assert all(math.isnan(value) for value in values)
    assert nothing.optimum is None


def test_all_frames_taken_together_are_one_sweep() -> None:
    frame = LevelCounts.of(np.array([[0, 200]], np.uint8), regions_of(np.array([[0, 1]], np.uint8)))

    both = ThresholdSweep(LevelCounts.total([frame, frame]))

    assert (both.positives, both.negatives, both.tp[200]) == (2, 2, 2)


def test_products_in_doubles_agree_with_exact_integers_to_the_last_digits() -> None:
    large = Confusion(tp=9_000_001, fp=1_234_567, fn=765_433, tn=38_999_999)

    assert large.mcc_in_doubles == pytest.approx(large.mcc, rel=1e-15)
    assert Confusion(tp=0, fp=0, fn=5, tn=5).mcc_in_doubles == 0.0


def test_thresholds_translate_both_ways() -> None:
    assert [nist_threshold(t) for t in (256, 255, 0)] == [-1, 0, 255]
    assert [threshold_from_nist(t) for t in (-1, 0, 255)] == [256, 255, 0]


def test_kernels_are_never_negative_nor_without_a_centre() -> None:
    with pytest.raises(ValueError, match="negative"):
        Kernels(erode_px=-1)
    with pytest.raises(ValueError, match="must be odd"):
        kernel(KernelShape.BOX, 4)
    assert Kernels(KernelShape.BOX, 2, 3, 0).even_widths == (2,)


def test_bits_that_no_operation_names_are_unknown() -> None:
    planes = np.array([[1, 2, 0]], np.uint8)

    reference = ReferenceMask.from_planes(planes, [operation(bit_plane=1)])

    assert reference.unknown.tolist() == [[False, True, False]]
    assert reference.size == reference.regions(None, Kernels()).size


def test_a_black_mask_knows_other_colours_but_no_operations() -> None:
    rgb = np.array([[[0, 0, 0], [5, 5, 5], [255, 255, 255]]], np.uint8)
    reference = ReferenceMask.from_black(rgb)

    assert reference.unknown.tolist() == [[False, True, False]]
    with pytest.raises(IndexError):
        reference.area(0)


def test_an_image_without_pixels_has_no_regions() -> None:
    empty = np.zeros((0, 4, 3), np.uint8)

    for reference in (ReferenceMask.from_colours(empty, []), ReferenceMask.from_black(empty)):
        regions = reference.regions(None, Kernels())
        assert (regions.codes.shape, regions.scored_px) == ((0, 4), 0)
        assert not regions.has_selected


def test_pixel_auc_and_eer_of_four_pixels_by_hand() -> None:
    sweep = ThresholdSweep.of(
        np.array([[200, 100, 150, 50]], np.uint8), regions_of(np.array([[1, 1, 0, 0]], np.uint8))
    )

    assert (sweep.auc, sweep.eer) == (0.75, 0.5)
    assert sweep.thresholds == (256, 200, 150, 100, 50)
    assert sweep.specificity[150] == 0.5


def test_without_negatives_the_rates_stay_zero_as_in_nists_table() -> None:
    sweep = ThresholdSweep.of(
        np.array([[200, 100]], np.uint8), regions_of(np.array([[1, 1]], np.uint8))
    )

    assert (sweep.auc, sweep.eer, sweep.tpr.max(), sweep.opt_out_px) == (0.0, 0.5, 0.0, 0)


def test_soft_nmm_is_computed_from_the_grey_values() -> None:
    sweep = ThresholdSweep.of(
        np.array([[204, 204, 51, 0]], np.uint8), regions_of(np.array([[1, 1, 0, 0]], np.uint8))
    )

    assert sweep.soft_nmm == pytest.approx((2 * 0.6 - 0.2) / 2)


def test_a_level_outside_the_grey_scale_opts_out_of_nothing() -> None:
    counts = LevelCounts.of(
        np.array([[0, 200]], np.uint8), regions_of(np.array([[0, 1]], np.uint8))
    )

    assert np.array_equal(counts.without_level(256).table, counts.table)


def test_exactly_the_given_area_is_manipulated() -> None:
    regions = ReferenceMask.from_area(np.array([[True, False]])).regions(
        None, Kernels(KernelShape.BOX, 0, 0, 0)
    )

    assert regions.codes.tolist() == [[1, 0]]


def test_a_shared_area_belongs_to_each_of_its_owners() -> None:
    area = np.zeros((8, 9), np.bool_)
    area[2:5, 3:7] = True
    operations = [Operation("j", str(i), str(i + 1), "step") for i in range(3)]
    mask = ReferenceMask.from_shared(area, operations, [0, 2])
    flat = Kernels(KernelShape.BOX, 0, 0, 0)

    assert mask.area(0).tolist() == mask.area(2).tolist() == area.tolist()
    assert not mask.area(1).any()
    assert not mask.unknown.any()
    assert mask.operation_index().max() == 3
    assert mask.regions(None, flat).codes.tolist() == area.astype(int).tolist()
    # Selected and unselected at once: the selected core wins, as with overlapping bit planes.
    assert mask.regions([2], flat).codes.tolist() == area.astype(int).tolist()
    assert not (mask.regions([1], flat).codes == Region.MANIPULATED).any()
    assert (mask.regions([1], flat).codes == Region.UNSELECTED).sum() == area.sum()
