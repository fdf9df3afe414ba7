"""Event and camera verification as the plan of MFC2019 describes them, and answers to them."""

from __future__ import annotations

from pathlib import Path

from tests.plans.build import LEFT, PlanDataset, PlanSubmission
from tests.plans.datasets import FILL, PASTE, SIZE, add_journal

EVENTS = ("boston_marathon", "occupy_melbourne")
CAMERAS = ("PAR_1234_primary_image", "12368_primary_image")
PROBES = ("0301", "0302", "0303", "0304")


def is_match(number: str, place: int) -> bool:
    """Whether a probe is of the event or camera at this place; every other one is."""
    return int(number) % 2 == place


def add_events(plan: PlanDataset) -> PlanDataset:
    for number in PROBES:
        probe = f"MFC2019_{number}"
        name = plan.photo(f"probe/{probe}.jpg")
        for place, event in enumerate(EVENTS):
            cells = {"TaskID": "EventVerification", "ProbeFileID": probe, "ProbeFileName": name}
            plan.add("eventverification-index", **cells, **SIZE, EventName=event)
            target = "Y" if is_match(number, place) else "N"
            plan.add("eventverification-ref", **cells, IsTarget=target, EventName=event)
    return plan


def add_cameras(plan: PlanDataset, *, masks: str = "jp2") -> PlanDataset:
    """Probes with a claimed camera; two of them were manipulated (``masks``: jp2 or jpg)."""
    task = "cameraverification"
    steps = {"0301": (PASTE, FILL), "0302": (PASTE,)}
    for number in PROBES:
        probe, journal = f"MFC2019_{number}", f"j{number}"
        name = plan.photo(f"probe/{probe}.png")
        byte_count = str((plan.root / name).stat().st_size)
        done = steps.get(number, ())
        for place, camera in enumerate(CAMERAS):
            cells = {"TaskID": "CameraVerification", "ProbeFileID": probe, "ProbeFileName": name}
            named = {"ProbeFileSize": byte_count, "TrainCamID": camera}
            plan.add(f"{task}-index", **cells, **SIZE, **named)
            facts = {"IsTarget": "Y" if is_match(number, place) else "N", "IsManipulated": "N"}
            if done:
                facts |= {"IsManipulated": "Y", "JournalName": journal}
                facts["ProbeMaskFileName"] = _mask(
                    plan, f"reference/{task}/mask/{probe}", number, masks
                )
                facts["BaseFileName"] = plan.photo(f"world/MFC2019_b{number}.png")
            plan.add(f"{task}-ref", **cells, TrainCamID=camera, **facts)
        add_journal(plan, task, probe, journal, done)
    for camera in CAMERAS:
        folder = f"{camera.partition('_')[0]}/Images/Primary/No_Lens_50"
        plan.photo(f"training/{folder}/_5648753.JPG")
        plan.add("traindata", TrainCamID=camera, FilePath=folder, FileName="_5648753.JPG")
    return plan


def _mask(plan: PlanDataset, stem: str, number: str, suffix: str) -> str:
    steps = (PASTE, FILL) if number == "0301" else (PASTE,)
    if suffix == "jpg":
        return plan.colours(f"{stem}.jpg", {step.color: step.area for step in steps})
    return plan.layers(f"{stem}.jp2", {step.plane: step.area for step in steps})


def event_answers(folder: Path) -> PlanSubmission:
    """A system that knows every event."""
    answers = PlanSubmission.of(folder, "MFC2019", "event", "p-box_1_event")
    for number in PROBES:
        for place, event in enumerate(EVENTS):
            score = "0.9" if is_match(number, place) else "0.1"
            cells = {"ProbeFileID": f"MFC2019_{number}", "EventName": event}
            answers.answer(**cells, ConfidenceScore=score, ProbeStatus="Processed")
    return answers


def camera_answers(folder: Path) -> PlanSubmission:
    """A system that knows every camera, and finds where the probes were manipulated."""
    answers = PlanSubmission.of(folder, "MFC2019", "camera", "p-box_1_camera")
    areas = {"0301": PASTE.area | FILL.area, "0302": LEFT}
    for number in PROBES:
        for place, camera in enumerate(CAMERAS):
            score = "0.9" if is_match(number, place) else "0.1"
            probe = f"MFC2019_{number}"
            cells = {"ProbeFileID": probe, "TrainCamID": camera, "ProbeStatus": "Processed"}
            if number in areas:
                mask = f"mask/{probe}-{camera}-mask.png"
                cells["OutputProbeMaskFileName"] = answers.found(mask, areas[number])
            answers.answer(**cells, ConfidenceScore=score)
    return answers
