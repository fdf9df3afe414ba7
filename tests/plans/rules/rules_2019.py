"""The rules of MFC2019's plan, each with its numbers in the audit and what shows it."""

from __future__ import annotations

from forensicviewer.core.rules import PLAN
from tests.plans import (
    test_appendix_d,
    test_detection,
    test_files,
    test_masks,
    test_provenance,
    test_validation,
    test_videos,
)
from tests.plans.rules import films_2019 as films
from tests.plans.rules import images_2019 as images
from tests.plans.rules import places_2019 as places
from tests.plans.rules.cases_2017 import (
    LETTERS,
    RIGHT_MASK,
    has_interval,
    many_formats,
    partial_area,
    partitions,
    pipe_separated,
    prose_is_shown,
    raw_donors,
    several_queries,
    world_is_not_walked,
)
from tests.plans.rules.checks import (
    Rule,
    accepted,
    asks,
    by_hand,
    colours,
    detected,
    opens,
    perfect,
    refused,
    rule,
    runs,
    says,
    scored,
    whole_mask,
)

IMAGE_OUTPUT = (
    *("ProbeFileID", "ConfidenceScore", "OutputProbeMaskFileName"),
    *("ProbeStatus", "ProbeOptOutPixelValue"),
)
VIDEO_OUTPUT = (
    *("ProbeFileID", "ConfidenceScore", "ProbeStatus", "VideoFrameSegments"),
    *("AudioSampleSegments", "VideoFrameOptOutSegments"),
    *("OutputProbeMaskFileName", "ProbeOptOutPixelValue"),
)
SPLICE_OUTPUT = (
    *("ProbeFileID", "DonorFileID", "ConfidenceScore"),
    *("OutputProbeMaskFileName", "OutputDonorMaskFileName", "ProbeStatus", "DonorStatus"),
    *("ProbeOptOutPixelValue", "DonorOptOutPixelValue"),
)
TIMES = ("VideoTime", "VideoFrame", "AudioTime", "AudioSample", "FrameTimeAdjustment")
PLAN_RULES = ("--rules", "plan")
VIDEO_STEPS = "manipulation-video-ref-journalmask"
AT_5 = {"CDR_at_FAR_5_%": "1.0"}

_TASKS: list[Rule] = [
    rule(
        *(1, "1", "the plan of 2019 alone; there is none of 2018"),
        says("No plan of MFC2018 was available", command=("rules",)),
    ),
    rule(
        *(2, "2.1.1", "AUC of images and of videos"),
        detected({0.9: True, 0.6: False, 0.4: True, 0.1: False}, AUC="0.75"),
        perfect("manipulation", "AUC"),
        perfect("video", "AUC"),
    ),
    rule(
        *(3, "2.1.1", "correct detection at 5 % false alarms"),
        images.five_percent(*PLAN_RULES, rate="5"),
        images.five_percent(*PLAN_RULES, "--far-stop", "0.1", rate="10"),
    ),
    rule(
        *(4, "2.1.1", "a score between 0 and 1"),
        refused("a score above 1", "a score below 0"),
        accepted("scores of 0 and 1"),
    ),
    rule(
        *(5, "2.1.1.1", "JPEG 2000 masks in ProbeMaskFileName"),
        perfect("manipulation", "OptimumMCC"),
        images.jp2_is_seen,
    ),
    rule(6, "2.1.1.1", "each bit plane is one manipulation", images.each_plane_is_one),
    rule(7, "2.1.1.1", "a white mask has nothing to localize", images.all_white),
    rule(8, "2.1.1.1", "Optimum MCC is primary", images.optimum_of_the_run),
    rule(9, "2.1.1.2", "intervals of frames", films.frames_found),
    rule(10, "2.1.1.2", "intervals of sound", films.samples_found),
    rule(11, "2.1.1.2", "omitted intervals are empty", films.omitted_intervals),
    rule(12, "2.1.1.2", "masks of videos", perfect("video", "OptimumMCC"), films.white_outside),
    rule(13, "2.1.1.2", "disjoint intervals of masks", films.disjoint_blocks),
    rule(14, "2.1.1.2", "black is manipulated in a video", films.black_is_manipulated),
    rule(15, "2.1.1.2", "sound is localized in time only", films.sound_is_not_seen),
    rule(
        *(16, "2.1.1.3", "selected manipulations of images and times"),
        scored("manipulation", *images.PASTE_ONLY, OptimumMCC="1.0"),
        films.selected_frames,
    ),
    rule(
        *(17, "2.1.1.3", "masks of selected manipulations of videos, a pilot"),
        runs(test_videos.test_masks_with_planes_are_read_as_planes),
    ),
    rule(18, "2.1.1.3", "a kernel of 11 pixels", images.dilated_by_11),
    rule(19, "2.1.1.3", "Table 1", images.table_1),
    rule(
        *(20, "2.1.2", "AUC of splices, and correct detection at 5 %"),
        scored("splice", *PLAN_RULES, AUC="1.0", **AT_5),
    ),
    rule(21, "2.1.2", "the donor's mask", perfect("splice", "dOptimumMCC")),
    rule(
        *(22, "2.1.2", "the probe's mask in ProbeMaskFileName"),
        perfect("splice", "pOptimumMCC"),
        runs(test_masks.test_either_side_of_a_splice_is_scored, year="MFC2019", rules=PLAN),
    ),
    rule(23, "2.1.3", "recall at 300", films.recall_at_300),
    rule(24, "2.1.3", "images that the world lacks", films.missing_from_the_world),
    rule(25, "2.1.4", "a probe that was not modified", films.unmodified_probe),
    rule(
        *(26, "2.1.4.1", "end-to-end"),
        runs(test_provenance.test_info_says_the_variation, year="MFC2019"),
    ),
    rule(
        *(27, "2.1.4.2", "a pool with distractors"),
        runs(test_provenance.test_a_pool_restricts_what_a_graph_is_compared_with, year="MFC2019"),
    ),
    rule(
        *(28, "2.1.4.3", "a pool without distractors"),
        runs(test_provenance.test_a_pool_of_related_images_has_no_distractors),
    ),
    rule((29, 30, 31), "2.1.4.4", "full and direct graph", films.both_conditions),
    rule(
        *(32, "2.1.5", "trials of probe and event"),
        places.trials_of(
            *("event", "MFC2019_0301+boston_marathon", "MFC2019_0301+occupy_melbourne")
        ),
    ),
    rule(33, "2.1.5", "images of the event beside the probe", places.event_collection),
    rule(34, "2.1.5", "AUC of events", scored("event", *PLAN_RULES, AUC="1.0", **AT_5)),
    rule(
        *(35, "2.1.6", "trials of probe and camera"),
        places.trials_of(
            *("camera", "MFC2019_0301+PAR_1234_primary_image", "MFC2019_0301+12368_primary_image")
        ),
    ),
    rule(36, "2.1.6", "five conditions", places.conditions),
    rule(
        *(37, "2.1.6", "the condition is asked for"),
        runs(test_validation.test_the_condition_of_a_camera_task_is_asked_for),
    ),
    rule(
        *(38, "2.1.6", "masks and scores of cameras"),
        scored("camera", *PLAN_RULES, AUC="1.0", OptimumMCC="1.0", **AT_5),
    ),
    rule(39, "2.1.6", "JPEG 2000 masks of cameras", perfect("camera", "OptimumNMM")),
    rule(40, "2.2", "opting out of either part", images.localization_opted_out),
    rule((41, 43), "2.2", "over processed trials, and how many", images.over_processed),
    rule(42, "2.2", "over all trials", images.over_all),
    rule(
        *(44, "2.2", "a score of 0 for what is not processed"),
        refused("an opted-out score of 0.9", "a score of what was not processed"),
        accepted("all statuses of 2019"),
    ),
    rule(
        *(45, "2.2", "pixels opted out of"),
        images.opt_out_pixels,
        images.opt_out_pixels_of_donors,
    ),
    rule(
        *(46, "2.2", "the description says what is opted out of"),
        refused("a description of 2019 without criteria"),
    ),
    rule(47, "2.3", "four conditions", places.condition_in_a_name),
    rule(48, "2.4", "trials are independent", places.independent),
]

_FILES: list[Rule] = [
    rule(49, "3.1", "50 000 images, of any format", places.many_probes, many_formats),
    rule(50, "3.2", "the world folder is not searched", world_is_not_walked),
    rule(51, "3.3", "documents", prose_is_shown),
    rule(52, "3.5.1", "the reference of images", opens("manipulation-image-ref")),
    rule(
        *(53, "3.5.1", "FrameCount and FrameRate in the reference"),
        opens("manipulation-video-ref"),
        films.lengths,
    ),
    rule(54, "3.5.1", "columns of donors", opens("splice-ref")),
    rule(
        *(55, "3.5.1", "BitPlane"),
        opens("manipulation-image-ref-probejournaljoin"),
        opens("splice-ref-probejournaljoin"),
    ),
    rule(56, "3.5.1", "bit BP - 1 of a pixel", images.plane_formula),
    rule(
        *(57, "3.5.1", "VideoTaskDesignation"),
        opens("manipulation-video-ref-probejournaljoin"),
        runs(test_videos.test_a_probe_for_spatial_localization_only_has_no_temporal_score),
        runs(test_videos.test_masks_do_not_belong_to_operations_for_temporal_localization),
    ),
    rule(58, "3.5.1", "designs, plug-ins and categories", places.operation_details),
    rule(59, "3.5.1", "VideoTime", opens(VIDEO_STEPS, *TIMES), films.video_times),
    rule(60, "3.5.1", "VideoFrame, from 1", films.from_one),
    rule(61, "3.5.1", "AudioTime", films.sound_times, films.sound_times_in_the_window),
    rule(62, "3.5.1", "AudioSample", films.samples_found),
    rule(63, "3.5.1", "FrameTimeAdjustment", films.adjusted_times),
    rule(64, "3.5.1", "a lane for operations on sound", films.lanes_of_sound),
    rule(65, "3.5.2", "masks of images", images.jp2_is_seen, images.each_plane_is_one),
    rule(66, "3.5.2", "masks of videos", films.disjoint_blocks),
    rule(
        *(67, "3.5.3", "tables of provenance"),
        opens("provenance-ref"),
        opens("provenance-ref-node"),
        opens("provenancefiltering-ref"),
        opens("provenancefiltering-ref-node"),
    ),
    rule(
        *(68, "3.5.3", "JournalMD5"),
        runs(test_files.test_a_journal_is_known_by_its_md5),
        runs(test_files.test_what_the_plan_prints_as_an_md5_is_none),
    ),
    rule(69, "3.5.4", "the reference of events", opens("eventverification-ref")),
    rule(70, "3.5.5", "the reference of cameras", opens("cameraverification-ref")),
    rule(71, "3.5.5", "camera-ref beside cameraverification-ref", places.camera_names),
    rule(72, "3.5.5", "BitPlane is ignored for videos", films.planes_are_ignored),
    rule(
        *(73, "3.6", "names and places as printed"),
        opens("cameraverification-ref-probejournaljoin"),
        opens("cameraverification-ref-journalmask"),
    ),
    rule(
        *(74, "3.6", "JPEG masks of splices and cameras"),
        perfect("splice", "pOptimumNMM", "dOptimumNMM"),
        places.jpeg_masks_of_cameras,
    ),
    rule(75, "3.6", "there is no table of the world", perfect("filtering", "NodeRecallAt300")),
    rule(
        *(76, "4.1.1", "indexes of images and videos, with devices"),
        opens("manipulation-image-index"),
        opens("manipulation-video-index"),
        images.by_device,
    ),
    rule(
        *(77, "4.1.1", "Manipulation beside manipulation"),
        runs(
            test_detection.test_images_are_detected_whatever_letters_the_task_is_written_in,
            year="MFC2019",
            rules=PLAN,
        ),
    ),
    rule(
        *(78, "4.1.2", "indexes of splices and provenance"),
        opens("splice-index"),
        opens("provenancefiltering-index"),
        opens("provenance-index"),
        raw_donors,
    ),
    rule(79, "4.1.5", "the index of events", opens("eventverification-index")),
    rule(
        *(80, "4.1.6", "the index of cameras; sizes in bytes"),
        opens("cameraverification-index"),
        runs(test_files.test_a_probe_has_the_bytes_that_the_index_says),
    ),
    rule(
        *(81, "4.1.6", "an index for each condition"),
        places.index_of_each_condition,
    ),
    rule(
        *(82, "4.1.6", "training data"),
        opens("traindata"),
        places.camera_gallery,
        runs(test_files.test_training_data_and_controls_that_are_missing_are_told),
    ),
]

_OUTPUTS: list[Rule] = [
    rule(
        *(83, "5", "what is not valid is refused"),
        refused("a row too few", "no status", "a broken HDF5 mask"),
        runs(test_validation.test_nists_programs_only_warn_of_video_masks),
    ),
    rule(84, "5.1.1", "a table named after the submission", places.package, places.table_elsewhere),
    rule(85, "5.1.1", "columns for images", asks("manipulation", *IMAGE_OUTPUT)),
    rule(
        *(86, "5.1.1", "columns for videos"),
        asks("video", *VIDEO_OUTPUT),
        refused("no segments"),
        accepted("no masks of videos"),
    ),
    rule(87, "5.1.1", "frames opted out of", films.frames_left_out),
    rule(
        *(88, "5.1.1", "an interval does not end before it begins"),
        refused("an interval backwards"),
        accepted("segments that touch"),
    ),
    rule(
        *(89, "5.1.1", "samples are counted in samples"),
        refused("a sample after the last", "a frame after the last"),
        films.samples_found,
    ),
    rule(
        *(90, "5.1.1", "columns for splices"),
        asks("splice", *SPLICE_OUTPUT),
        refused("no opt-out value of the donor"),
    ),
    rule(91, "5.1.1.1", "0 for what failed validation", images.failed_is_zero),
    rule(
        *(92, "5.1.1.2", "one row for each trial"),
        refused("a row too few"),
        accepted("rows in another order"),
    ),
    rule(
        *(93, "5.1.1.3", "statuses of probes"),
        accepted("all statuses of 2019", "all statuses of videos"),
        refused("a status unknown"),
    ),
    rule(
        *(94, "5.1.1.3", "OptOut where nothing is localized"),
        refused("OptOutDetection of an event", "a score of an event opted out of"),
        accepted("an event opted out of"),
    ),
    rule(
        *(95, "5.1.1.3", "statuses of donors"),
        refused("a donor opted out of all"),
        accepted("all statuses of donors"),
        images.donor_statuses,
    ),
    rule(96, "5.1.1.3", "OptOutTemporal and OptOutSpatial", films.opted_out_of_either),
    rule(97, "5.1.2", "masks lie in mask", refused("a mask elsewhere", "a video mask as PNG")),
    rule(
        *(98, "5.1.2.1", "masks are grey PNG files of the probe's size"),
        refused("a mask of 2019 in another size", "a mask of 2019 in colours"),
        by_hand(LETTERS, [[60, 60, 150, 150]] * 2, OptimumMCC=1),
    ),
    rule(99, "5.1.2.2", "groups count frames from 0", films.start_from_zero),
    rule(100, "5.1.2.2", "frames without a mask are white", films.white_outside),
    rule(
        *(101, "5.1.2.2", "one channel in the size of the video"),
        refused("a small HDF5 mask", "an HDF5 mask in colours", "an HDF5 mask of two bytes"),
        films.opt_out_value_of_a_video,
    ),
    rule(
        *(102, "5.1.2.3", "masks exist and can be read"),
        refused("an HDF5 mask that does not exist", "a broken HDF5 mask"),
        refused("a mask of 2019 that does not exist"),
    ),
    rule(
        *(103, "5.2", "columns for provenance, without a score"),
        asks(
            *("provenance", "ProvenanceProbeFileID", "ProvenanceOutputFileName"),
            "ProvenanceProbeStatus",
        ),
        runs(
            test_validation.test_a_conforming_submission_is_accepted_strictly,
            year="MFC2019",
            task="provenance",
            rules=PLAN_RULES,
        ),
        refused("a graph without status"),
    ),
    rule(
        *(104, "5.3", "columns for events"),
        asks("event", "ProbeFileID", "EventName", "ConfidenceScore", "ProbeStatus"),
    ),
    rule(
        *(105, "5.4", "columns for cameras"),
        asks(
            *("camera", "ProbeFileID", "TrainCamID", "OutputProbeMaskFileName"),
            *("ConfidenceScore", "ProbeStatus", "ProbeOptOutPixelValue"),
        ),
        refused("no mask of a camera"),
    ),
]

_METRICS: list[Rule] = [
    rule(106, "6.1.2", "ROC and AUC", images.random_guessing, images.roc_in_the_window),
    rule(107, "6.1.3", "correct detection at a rate", images.five_percent(*PLAN_RULES, rate="5")),
    rule(108, "6.2.1", "regions by erosion and dilation", images.boundary),
    rule(109, "6.2.1", "regions over all frames of an interval", films.disjoint_blocks),
    rule(
        *(110, "6.2.1", "colours of the regions"),
        colours(
            HIT="green",
            MISS="red",
            FALSE_ALARM="orange",
            CORRECT_REJECTION="white",
            BOUNDARY="purple",
        ),
    ),
    rule(
        *(111, "6.2.2", "NMM of grey values and its extremes"),
        by_hand(LETTERS, [[51, 51, 255, 255]] * 2, OptimumNMM=0.6),
        by_hand(LETTERS, [[255, 255, 0, 0]] * 2, OptimumNMM=-1),
        images.nmm_of_everything,
    ),
    rule(
        *(112, "6.2.3", "MCC and WL1"),
        by_hand(LETTERS, RIGHT_MASK, OptimumMCC=1, GWL1=0),
        by_hand(LETTERS, whole_mask(255), OptimumMCC=0, GWL1=0.5),
        by_hand(LETTERS, [[51, 51, 255, 0]] * 2, GWL1=(0.2 * 4 + 2) / 8),
    ),
    rule((113, 115), "6.2.5", "Actual, Maximum and Optimum", images.thresholds),
    rule(114, "6.2.5", "Maximum of each metric", images.thresholds, images.maximum_by_metric),
    rule(116, "6.3", "Table 2", images.table_2),
    rule(117, "7", "SimNO, SimLO and SimNLO", films.overlaps),
]

_APPENDICES: list[Rule] = [
    rule(
        *(118, "A", "parts of a name"),
        refused("system without p- or c-", "system with a dot", "version in words", "version 0"),
        accepted("a contrastive system of version 12"),
    ),
    rule(
        *(119, "A-a", "the description and its sections"),
        refused("no description", "a description of 2019 without criteria"),
    ),
    rule(120, "A-b", "the package", places.package),
    rule(121, "B", "columns between bars", pipe_separated),
    rule(
        *(122, "C", "500 results with the probe"),
        refused("501 results", "results without the probe", "499 results"),
    ),
    rule(
        *(123, "C", "fields of nodes and links"),
        refused(
            *("the probe under another name", "an image of no world"),
            *("a node of 2019 without fileid", "a node without confidence"),
            *("a link without confidence", "a link to nowhere"),
        ),
    ),
    rule(
        *(124, "D", "report, queries, partitions and manipulations"),
        has_interval,
        partial_area,
        several_queries,
        partitions,
        runs(test_appendix_d.test_the_manual_prints_what_the_plans_print),
    ),
]

RULES: list[Rule] = [*_TASKS, *_FILES, *_OUTPUTS, *_METRICS, *_APPENDICES]
