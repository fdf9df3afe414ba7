"""Small datasets of every task, as each year's plan describes them, and answers to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from forensicviewer.core.array import BoolImage, U8Image
from tests.filmmaking import HEIGHT as FILM_HEIGHT
from tests.filmmaking import WIDTH as FILM_WIDTH
from tests.filmmaking import X264_GOP12, Film, make
from tests.plans.build import HEIGHT, LEFT, RIGHT, WIDTH, PlanDataset, PlanSubmission

SIZE = {"ProbeWidth": str(WIDTH), "ProbeHeight": str(HEIGHT)}
DONOR_SIZE = {"DonorWidth": str(WIDTH), "DonorHeight": str(HEIGHT)}


@dataclass(frozen=True)
class Step:
    """One operation of a journal, and where it changed the probe."""

    name: str
    purpose: str
    color: str
    plane: int
    area: BoolImage


PASTE = Step("PasteSplice", "add", "255 10 0", 1, LEFT)
FILL = Step("FillContentAwareFill", "remove", "0 48 255", 2, RIGHT)
# Probe → its operations; none for probes that were not manipulated.
IMAGES: dict[str, tuple[Step, ...]] = {
    "0001": (PASTE, FILL),
    "0002": (PASTE,),
    "0003": (),
    "0004": (),
}
SCORES = {"0001": "0.9", "0002": "0.8", "0003": "0.3", "0004": "0.1"}
# (probe, donor) → whether the donor was spliced into the probe; one probe has two donors.
SPLICES = {
    ("0011", "0101"): LEFT,
    ("0011", "0102"): RIGHT,
    ("0012", "0101"): None,
    ("0012", "0103"): None,
}
DONATED = {"0101": RIGHT, "0102": LEFT}


def area_of(steps: tuple[Step, ...]) -> BoolImage:
    area = steps[0].area.copy()
    for step in steps[1:]:
        area |= step.area
    return area


def add_images(plan: PlanDataset, task: str = "") -> PlanDataset:
    """Probes of manipulation detection (of removal, for NC2016, where ``task`` says so)."""
    year = plan.year.name
    task = task or ("manipulation" if year == "NC2016" else "manipulation-image")
    for number, steps in IMAGES.items():
        probe, journal = f"{year}_{number}", f"j{number}"
        name = plan.photo(f"probe/{probe}.jpg")
        index = {"TaskID": task.partition("-")[0].title(), "ProbeFileID": probe, **SIZE}
        devices = {"HPDeviceID": "PAR9082", "HPSensorID": "PAR9082_secondary"}
        plan.add(
            f"{task}-index", ProbeFileName=name, **index, **(devices if year == "MFC2019" else {})
        )
        reference = {"ProbeFileID": probe, "ProbeFileName": name, "IsTarget": "N"}
        if steps:
            mask = _mask(plan, f"reference/{task}/mask/{probe}", steps)
            base = plan.photo(f"world/{year}_b{number}.png")
            reference |= {"IsTarget": "Y", "ProbeMaskFileName": mask, "BaseFileName": base}
        if year == "NC2016":
            plan.add(f"{task}-ref", TaskID=task.title(), **reference, **_facts_16(steps))
            continue
        reference |= {"JournalName": journal} if steps else {}
        plan.add(f"{task}-ref", TaskID="manipulation", **reference)
        add_journal(plan, task, probe, journal, steps)
    return plan


def _mask(plan: PlanDataset, stem: str, steps: tuple[Step, ...]) -> str:
    """The reference mask in the form of the year: grey, colours, or layers."""
    if plan.year.name == "NC2016":
        return plan.grey(f"{stem}.png", area_of(steps))
    if plan.year.name == "NC2017":
        return plan.colours(f"{stem}.png", {step.color: step.area for step in steps})
    return plan.layers(f"{stem}.jp2", {step.plane: step.area for step in steps})


def _facts_16(steps: tuple[Step, ...]) -> dict[str, str]:
    is_target = "Y" if steps else "N"
    return {
        "ProbePostProcessed": "rescale" if steps else "none",
        "ManipulationQuality": "complex" if steps else "",
        "IsManipulationTypeRemoval": is_target,
        "IsManipulationTypeSplice": is_target,
        "IsManipulationTypeCopyClone": "N",
        "Collection": "Nimble-SCI" if steps else "Nimble-WEB",
        "Lighting": "same",
        "IsControl": "N",
    }


def add_journal(
    plan: PlanDataset, task: str, probe: str, journal: str, steps: tuple[Step, ...]
) -> None:
    """What the journal tables say of one probe."""
    is_2019 = plan.year.name == "MFC2019"
    for number, step in enumerate(steps):
        names = {"JournalName": journal, "StartNodeID": f"{journal}-{number}"}
        names["EndNodeID"] = f"{journal}-{number + 1}"
        plane = {"BitPlane": str(step.plane)} if is_2019 else {}
        plan.add(f"{task}-ref-probejournaljoin", ProbeFileID=probe, **names, **plane)
        plan.add(
            f"{task}-ref-journalmask",
            **names,
            Operation=step.name,
            Color=step.color,
            Purpose=step.purpose,
            OperationArgument="natural object",
        )


def add_splices(plan: PlanDataset) -> PlanDataset:
    """Pairs of probe and donor; masks are restricted to what was spliced."""
    year = plan.year.name
    # MFC2019 lists these masks as JPEG (3.6), the other years as PNG.
    suffix = "jpg" if year == "MFC2019" else "png"
    for (first, second), area in SPLICES.items():
        probe, donor = f"{year}_{first}", f"{year}_{second}"
        names = {"ProbeFileID": probe, "ProbeFileName": plan.photo(f"probe/{probe}.jpg")}
        other = {"DonorFileID": donor, "DonorFileName": plan.photo(f"world/{donor}.png")}
        plan.add("splice-index", TaskID="Splice", **names, **SIZE, **other, **DONOR_SIZE)
        cells = {**names, **other, "IsTarget": "N"}
        if area is not None:
            stem = f"reference/splice/mask/{probe}_{second}"
            probe_mask, donor_mask = f"{stem}.{suffix}", f"{stem}_mask.{suffix}"
            cells |= {"IsTarget": "Y", "BaseFileName": plan.photo(f"world/{year}_b{first}.png")}
            cells["ProbeMaskFileName"] = _splice_mask(plan, probe_mask, area)
            cells["DonorMaskFileName"] = _splice_mask(plan, donor_mask, DONATED[second])
        if year == "NC2016":
            steps = () if area is None else (PASTE,)
            plan.add("splice-ref", TaskID="Splice", **cells, **_facts_16(steps))
            continue
        cells |= {"JournalName": f"j{first}"} if area is not None else {}
        plan.add("splice-ref", TaskID="splice", **cells)
    if year != "NC2016":
        add_journal(plan, "splice", f"{year}_0011", "j0011", (PASTE, FILL))
    return plan


def _splice_mask(plan: PlanDataset, name: str, area: BoolImage) -> str:
    if plan.year.name == "NC2016":
        return plan.grey(name, area)
    return plan.colours(name, {PASTE.color: area})


# --- videos -------------------------------------------------------------------------------------

FRAMES, RATE, SOUND_RATE = 60, 30, 16_000  # of every video, as filmed


@dataclass(frozen=True)
class VideoStep:
    """One operation on a video, in the words of the tables."""

    name: str
    frames: str = "[]"
    audio_time: str = "[]"
    samples: str = "[]"
    designation: str = "spatial-temporal"
    plane: str = ""


PASTE_FRAMES = VideoStep("PasteFrames", "[[11,30]]", designation="temporal")
PASTE_OBJECT = VideoStep("PasteSplice", "[[41,50]]", plane="1")
DUB = VideoStep(
    "ReplaceAudioSample",
    audio_time="[[500,1000]]",
    samples="[[8001,16000]]",
    designation="temporal",
)
VIDEOS: dict[str, tuple[VideoStep, ...]] = {
    "0021": (PASTE_FRAMES, PASTE_OBJECT, DUB),
    "0022": (PASTE_OBJECT,),
    "0023": (),
}


def add_videos(
    plan: PlanDataset,
    videos: Mapping[str, tuple[VideoStep, ...]] | None = None,
    *,
    filmed: bool = True,
) -> PlanDataset:
    """Probes of video manipulation detection; NC2017 asks for no localization of them."""
    year, task = plan.year.name, "manipulation-video"
    for number, steps in (VIDEOS if videos is None else videos).items():
        probe, journal = f"{year}_{number}", f"j{number}"
        name = f"probe/{probe}.mp4"
        if filmed:
            _film(plan.root / name)
        size = {"ProbeWidth": str(FILM_WIDTH), "ProbeHeight": str(FILM_HEIGHT)}
        plan.add(
            f"{task}-index", TaskID="Manipulation", ProbeFileID=probe, ProbeFileName=name, **size
        )
        cells = {"ProbeFileID": probe, "ProbeFileName": name, "IsTarget": "Y" if steps else "N"}
        if year == "MFC2019":
            cells |= {"FrameCount": str(FRAMES), "FrameRate": str(RATE)}
            if any("spatial" in step.designation for step in steps):
                cells["ProbeMaskFileName"] = _black_frames(plan, task, probe)
        cells |= {"JournalName": journal} if steps else {}
        plan.add(f"{task}-ref", TaskID="manipulation", **cells)
        _add_video_journal(plan, task, probe, journal, steps)
    return plan


def _film(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    film = Film(path.name, "libx264", frames=FRAMES, rate=RATE, options=X264_GOP12)
    make(film, path.parent, sound=True)


def _black_frames(plan: PlanDataset, task: str, probe: str) -> str:
    """An HDF5 mask of frames 41 to 50, white with black where manipulated."""
    name = f"reference/{task}/mask/{probe}.hdf5"
    return plan.frames(name, {40: black_frames(10)})


def black_frames(count: int) -> U8Image:
    frame = np.full((FILM_HEIGHT, FILM_WIDTH), 255, np.uint8)
    frame[30:80, 60:120] = 0
    return np.repeat(frame[np.newaxis], count, axis=0)


def _add_video_journal(
    plan: PlanDataset, task: str, probe: str, journal: str, steps: tuple[VideoStep, ...]
) -> None:
    is_2019 = plan.year.name == "MFC2019"
    for number, step in enumerate(steps):
        names = {"JournalName": journal, "StartNodeID": f"{journal}-{number}"}
        names["EndNodeID"] = f"{journal}-{number + 1}"
        told = {"BitPlane": step.plane, "VideoTaskDesignation": step.designation}
        plan.add(
            f"{task}-ref-probejournaljoin", ProbeFileID=probe, **names, **(told if is_2019 else {})
        )
        times = {"VideoFrame": step.frames, "AudioTime": step.audio_time}
        times |= {"AudioSample": step.samples, "FrameTimeAdjustment": "0"}
        plan.add(
            f"{task}-ref-journalmask",
            **names,
            Operation=step.name,
            Purpose="add",
            **(times if is_2019 else {}),
        )


def video_answers(folder: Path, year: str) -> PlanSubmission:
    """A system that finds everything exactly."""
    output = "manipulation" if year == "NC2017" else "video"
    name = NAMES[year].format(task="Manipulation").replace("ImgOnly", "VidOnly")
    answers = PlanSubmission.of(folder, year, output, name.replace("p-box_1_M", "p-film_1_M"))
    for number, steps in VIDEOS.items():
        cells = {"ProbeFileID": f"{year}_{number}", "ConfidenceScore": "0.9" if steps else "0.1"}
        cells |= _processed(year)
        if year == "MFC2019":
            frames = ",".join(step.frames[1:-1] for step in steps if step.frames != "[]")
            sounds = ",".join(step.samples[1:-1] for step in steps if step.samples != "[]")
            cells |= {"VideoFrameSegments": f"[{frames}]", "AudioSampleSegments": f"[{sounds}]"}
            cells |= {"VideoFrameOptOutSegments": "[]"}
        if year == "MFC2019" and PASTE_OBJECT in steps:
            mask = f"mask/{year}_{number}.hdf5"
            cells["OutputProbeMaskFileName"] = answers.frames(mask, {40: black_frames(10)})
        answers.answer(**cells)
    return answers


# --- answers ------------------------------------------------------------------------------------

NAMES = {
    "NC2016": "Team_NC2016_{task}_ImgOnly_p-box_1",
    "NC2017": "Team_NC17_TEST_{task}_ImgOnly_p-box_1",
    "MFC2019": "p-box_1_{task}",
}


def image_answers(folder: Path, year: str, task: str = "manipulation") -> PlanSubmission:
    """A system that finds everything exactly."""
    name = NAMES[year].format(task=task.title())
    answers = PlanSubmission.of(folder, year, task, name)
    column = "ProbeOutputMaskFileName" if year == "NC2016" else "OutputProbeMaskFileName"
    for number, steps in IMAGES.items():
        probe = f"{year}_{number}"
        cells = {"ProbeFileID": probe, "ConfidenceScore": SCORES[number], **_processed(year)}
        if steps:
            cells[column] = answers.found(f"mask/{probe}-mask.png", area_of(steps))
        answers.answer(**cells)
    return answers


def splice_answers(folder: Path, year: str, output: str = "splice") -> PlanSubmission:
    """A system that finds everything exactly on either side."""
    answers = PlanSubmission.of(folder, year, output, NAMES[year].format(task="Splice"))
    is_2016 = year == "NC2016"
    sides = ("ProbeOutput", "DonorOutput") if is_2016 else ("OutputProbe", "OutputDonor")
    for (first, second), area in SPLICES.items():
        cells = {"ProbeFileID": f"{year}_{first}", "DonorFileID": f"{year}_{second}"}
        cells |= {"ConfidenceScore": "0.1" if area is None else "0.9"}
        cells |= _processed(year, has_donor=True)
        if "IsTarget" in answers.columns:
            cells["IsTarget"] = "Y"
        if area is not None:
            areas = zip(sides, (area, DONATED[second]), strict=True)
            for side, found in areas:
                name = f"mask/{first}-{second}-{side}.png"
                cells[f"{side}MaskFileName"] = answers.found(name, found)
        answers.answer(**cells)
    return answers


def _processed(year: str, *, has_donor: bool = False) -> dict[str, str]:
    if year == "NC2016":
        return {}
    if year == "NC2017":
        return {"IsOptOut": "N"}
    return {"ProbeStatus": "Processed", **({"DonorStatus": "Processed"} if has_donor else {})}
