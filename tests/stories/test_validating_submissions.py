"""Every submission of NIST's validator tests gets the verdict its name and NIST's tests expect."""

import json
from pathlib import Path

import pytest

from forensicviewer.cli import main

MANIPULATION = (
    "validatorTests/NC2016_Test0516_dfz",
    "manipulation",
    "NC2016-manipulation-index.csv",
)
SPLICE = ("validatorTests/NC2016_Test0516_dfz", "splice", "NC2016-splice-index.csv")
VIDEO = ("validatorTests/NC2016_Test0516_dfz", "video", "NC2016-manipulation-video-index.csv")
UNCOUNTED = (
    "validatorTests/NC2016_Test0516_dfz",
    "video",
    "NC2016-manipulation-video-index_d1v1.csv",
)
CAMERA = ("validatorTests/cref", "camera", "MFC18-camera-index.csv")
EVENT = ("validatorTests/evref", "event", "ValTest-eventverification-index.csv")
PROVENANCE = ("provenanceValidatorTests", "provenance", "NC2017_Dev1-provenance-index.csv")
FILTERING = ("provenanceValidatorTests", "filtering", "NC2017_Dev1-provenance-index.csv")

NAMED = ("--check-name", "--ncid", "NC2016")
OLD = "_NC2016_UnitTest_Manipulation_ImgOnly_p-baseline_"
PAIR = "_NC2016_UnitTest_Splice_ImgOnly_p-baseline_"
VALID = "ValidCheck_NC17_FuncTest_2/ValidCheck_NC17_FuncTest_"
INVALID = "InvalidCheck_NC17_FuncTest_3/InvalidCheck_NC17_FuncTest_"
NAMES = "NameCheck_NC17_FuncTest_1/NameCheck_NC17_"

# submission → task → options → rules that must be among the errors (none: accepted)
VERDICTS = [
    (f"foo{OLD}1", MANIPULATION, NAMED, ()),
    ("foo", MANIPULATION, (), ()),
    ("nomask", MANIPULATION, (), ()),
    ("foo_NC2016_UnitTest_Manipulation_ImgOnly_p-whole_1", MANIPULATION, (), ()),
    ("foo_NC2016_UnitTest_Manipulation_ImgOnly_p-whole_1", MANIPULATION, NAMED, ("name.folder",)),
    (
        "emptydir_NC2016_UnitTest_Splice_ImgOnly_p-baseline_1",
        MANIPULATION,
        (),
        ("submission.opens",),
    ),
    (f"foo_{OLD}1", MANIPULATION, NAMED, ("name.parts", "columns.required")),
    (f"fo_o{OLD}1", MANIPULATION, NAMED, ("name.parts", "columns.required")),
    (
        "foo+_NC2016_UnitTest_Manip_ImgOnly_p-baseline_1",
        MANIPULATION,
        NAMED,
        ("name.team", "name.task", "columns.required"),
    ),
    (f"foo{OLD}2", MANIPULATION, NAMED, ("columns.required",)),
    (f"foob{OLD}2", MANIPULATION, NAMED, ("rows.duplicate", "rows.count")),
    (f"fooc{OLD}1", MANIPULATION, NAMED, ("score.number",)),
    (f"food{OLD}1", MANIPULATION, NAMED, ("status.known",)),
    (f"bar{OLD}1", MANIPULATION, NAMED, ("mask.png",)),
    (f"baz{OLD}1", MANIPULATION, NAMED, ("mask.channels", "mask.size")),
    (f"foo{OLD}3", MANIPULATION, NAMED, ("table.separator",)),
    (f"foo{OLD}4", MANIPULATION, NAMED, ("mask.exists",)),
    ("validvidtest", VIDEO, (), ()),
    ("validvidtest", UNCOUNTED, (), ()),
    ("validvidtest_nc17", VIDEO, (), ()),
    ("badstringvidtest", VIDEO, (), ("intervals.readable",)),
    ("oobvidtest", VIDEO, (), ("intervals.bounds",)),
    ("oobvidtest", VIDEO, ("--ignore-end",), ()),
    ("selfcrossvidtest", VIDEO, (), ("intervals.disjoint",)),
    ("selfcrossvidtest", VIDEO, ("--ignore-overlap",), ()),
    ("failvalidvidtest", VIDEO, (), ()),
    ("valid_cam", CAMERA, (), ()),
    ("invalid_camid", CAMERA, (), ("rows.unknown", "rows.missing")),
    ("invalid_cam_mask", CAMERA, (), ("mask.size",)),
    ("valid_ev", EVENT, (), ()),
    ("invalid_ev_event", EVENT, (), ("rows.unknown", "rows.missing")),
    ("invalid_ev_ps", EVENT, (), ("status.known",)),
    (f"lorem{PAIR}1", SPLICE, NAMED, ()),
    ("lorem", SPLICE, (), ()),
    (
        "lorem_NC2016_Splice_ImgOnly_p-whole_1",
        SPLICE,
        ("--check-name", "--rules", "nc16"),
        ("columns.required",),
    ),
    ("lorem_NC2016_Splice_ImgOnly_p-whole_1", SPLICE, (), ()),
    ("emptydir_NC2016_UnitTest_Splice_ImgOnly_p-baseline_1", SPLICE, (), ("submission.opens",)),
    (
        "lorem__NC2016_UnitTest_Spl_ImgOnly_p-baseline_1",
        SPLICE,
        NAMED,
        ("name.parts", "columns.required"),
    ),
    (f"lor_em{OLD}1", SPLICE, NAMED, ("name.parts", "columns.required")),
    (f"lorem+{OLD}1", SPLICE, NAMED, ("name.team", "name.task", "columns.required")),
    (f"lorem{PAIR}2", SPLICE, NAMED, ("columns.required",)),
    (f"loremb{PAIR}2", SPLICE, NAMED, ("rows.count", "rows.duplicate")),
    (f"loremc{PAIR}1", SPLICE, NAMED, ("score.number",)),
    (f"loremd{PAIR}1", SPLICE, NAMED, ("status.known",)),
    (f"lorem{PAIR}4", SPLICE, NAMED, ("rows.count", "rows.duplicate", "mask.exists")),
    (f"ipsum{PAIR}1", SPLICE, NAMED, ("mask.png", "mask.size", "mask.channels")),
    (f"ipsum{PAIR}2", SPLICE, NAMED, ("columns.required",)),
    (f"lorem{PAIR}3", SPLICE, NAMED, ("mask.exists",)),
    (
        f"{VALID}ProvenanceFiltering_ImgOnly_p-min_1",
        FILTERING,
        ("--check-name", "--ncid", "NC17"),
        (),
    ),
    (f"{VALID}Provenance_ImgOnly_p-all_1", PROVENANCE, (), ()),
    (f"{VALID}Provenance_ImgOnly_p-conf_1", PROVENANCE, ("--check-name", "--ncid", "NC17"), ()),
    (f"{VALID}Provenance_ImgOnly_p-optout_1", PROVENANCE, ("--opt-out",), ()),
    (f"{INVALID}ProvenanceFiltering_ImgOnly_p-badfilter_3", FILTERING, (), ("document.schema",)),
    (f"{INVALID}ProvenanceFiltering_ImgOnly_p-comma_3", FILTERING, (), ("table.separator",)),
    (f"{INVALID}ProvenanceFiltering_ImgOnly_p-diffidx_3", FILTERING, (), ("document.schema",)),
    (
        f"{INVALID}ProvenanceFiltering_ImgOnly_p-moreidx_3",
        FILTERING,
        (),
        ("rows.count", "rows.unknown"),
    ),
    (f"{INVALID}Provenance_ImgOnly_p-filtergraph_3", PROVENANCE, (), ("document.schema",)),
    (
        f"{NAMES}FuncTest_ProvenanceFiltering_ImgOnly_p-valid_1",
        FILTERING,
        (),
        ("submission.opens",),
    ),
    (f"{NAMES}FuncTest2_Provenance_ImgOnly_p-valid_1", PROVENANCE, (), ("submission.opens",)),
    (
        f"{NAMES}Functionality_Test_3_ProvenanceFiltering_ImgOnly_p-invalid_1",
        FILTERING,
        (),
        ("submission.opens",),
    ),
    (f"{NAMES}FuncTest4_Manipulation_ImgOnly_p-valid_1", PROVENANCE, (), ("submission.opens",)),
]


@pytest.mark.nist
@pytest.mark.parametrize(
    ("submission", "place", "options", "rules"),
    VERDICTS,
    ids=[
        f"{place[1]}-{Path(name).name}-{'-'.join(options)}" for name, place, options, _ in VERDICTS
    ],
)
def test_a_submission_gets_the_verdict_nist_expects(
    nist_suite: Path,
    capsys: pytest.CaptureFixture[str],
    submission: str,
    place: tuple[str, str, str],
    options: tuple[str, ...],
    rules: tuple[str, ...],
) -> None:
    dataset, task, index = place
    folder = nist_suite / (
        "provenanceValidatorTests" if "provenance" in dataset else "validatorTests"
    )

    code = main(
        [
            "validate",
            str(nist_suite / dataset),
            str(folder / submission),
            "--task",
            task,
            "--index",
            f"indexes/{index}",
            "--json",
            *options,
        ]
    )

    verdict = json.loads(capsys.readouterr().out)
    broken = {found["rule"] for found in verdict["findings"] if found["severity"] == "error"}
    assert (code, verdict["accepted"]) == ((1, False) if rules else (0, True)), broken
    assert broken >= set(rules)
