"""Opens a dataset of images and masks: a published one, IMDL-BenCo's folders and lists, or any."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from forensicviewer.core.imdl.dataset_names import title_of
from forensicviewer.core.model import Dataset, Edition, Task, TaskKind
from forensicviewer.core.problem import (
    LINKS,
    DatasetError,
    Problem,
    ProblemLog,
    Severity,
    UnsafePathError,
)
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.files.links import follows_links
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.imdl.checks import POLARITY, SAMPLED, PairCheck, sample
from forensicviewer.sources.imdl.composition import TABLE_10, Composition, differs
from forensicviewer.sources.imdl.folder_tree import FolderTree
from forensicviewer.sources.imdl.known import Known, find_known
from forensicviewer.sources.imdl.lists import ListFile, looks_like_list, read_list
from forensicviewer.sources.imdl.pair import MaskRule, Pair, base, stem
from forensicviewer.sources.imdl.pairing import Matches, Pairing, by_position, by_stem, differing
from forensicviewer.sources.imdl.places import Finder, Roots
from forensicviewer.sources.layouts.scan import datasets_in
from forensicviewer.sources.layouts.trials import TableTrials
from forensicviewer.sources.media.masks import Polarity

PAIRING = "imdl.pairing-uncertain"
OUTSIDE = "imdl.outside"
_MASK_FOLDERS = (
    *("gt", "mask", "masks", "groundtruth", "ground_truth", "ground-truth", "label", "labels"),
    *("annotation", "annotations", "reference"),
)
# Of names of several words: fake_masks, masks-binary, but not pred_masks or donor_mask.
_MASK_WORDS = frozenset({"gt", "mask", "masks", "groundtruth"})
_OTHER_WORDS = frozenset({"pred", "preds", "prediction", "predictions", "output", "donor"})
_AUTHENTIC = frozenset({"au", "auth", "authentic", "real", "pristine", "original", "normal"})
_NAMED = 20
_LEAST_OFFERED = 2  # parts of a folder to be read: the root of a disk is never offered
_MOST_MEASURED = 2500  # pairs whose files are all measured on opening; reading headers takes time
_FOLDER_WORDS = frozenset(
    {
        *_MASK_FOLDERS,
        *_AUTHENTIC,
        *("tp", "4cam_splc", "dso-1", "image", "images", "fake", "coloredfakeimages"),
        *("colorfakeimages", "segmentationfake", "sp_images", "cm_images", "probe_save"),
        *("authentic", "annotations_gt", "copymove_img", "inpainting_img", "splicing_1_img"),
        *("casia 1.0 groundtruth", "casia 2 groundtruth", "dataset", "dso_gt", "forgery"),
    }
)


@dataclass(frozen=True, slots=True)
class DatasetChoices:
    """What the user settles: where files lie, how images find their masks, which colour counts."""

    roots: Roots = field(default_factory=Roots)
    pairing: Pairing | None = None
    pairs: Path | None = None
    polarity: Polarity | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    """Pairs of one dataset before they become a task; ``root`` is what names are relative to."""

    root: Path
    name: str
    pairs: tuple[Pair, ...]
    evidence: str
    title: str = ""
    files: tuple[tuple[str, str], ...] = ()
    guesses_polarity: bool = False


def looks_like_dataset(path: Path) -> bool:
    """Whether a path may be such a dataset, from names alone."""
    if path.is_file():
        return looks_like_list(path)
    try:
        entries = list(path.iterdir())[:500]
    except OSError:
        return False
    if has_dataset_folders(entries):
        return True
    tree = tree_of(path)
    if find_known(tree) is not None:
        return True
    # A folder of NIST's datasets has images and masks too, somewhere below.
    return not datasets_in(path) and _is_images_beside_masks(tree)


def has_dataset_folders(entries: Iterable[Path]) -> bool:
    """Whether a folder holds one that these datasets have, by its name."""
    names = {entry.name.lower() for entry in entries}
    return bool(names & _FOLDER_WORDS) or any(name.startswith("forged_jpeg") for name in names)


def read_dataset(path: Path, choices: DatasetChoices) -> Dataset:
    """Open the dataset; raises DatasetError where there are no images with masks."""
    path = path.absolute()
    log = ProblemLog()
    found = _find_all(path, choices, log)
    if len(found) == 1:
        tasks = [_task(found[0], choices, log, is_alone=True)]
    else:
        tasks = [_task_of_several(each, choices, log) for each in found]
    return Dataset(
        root=path if path.is_dir() else path.parent,
        name=path.name if path.is_dir() else path.stem,
        edition=Edition.IMDL,
        tasks=tuple(tasks),
        evidence=tuple(_evidence(each) for each in found),
        problems=log.freeze(),
    )


def _evidence(found: _Found) -> str:
    title = found.title or title_of(found.name)
    listed = TABLE_10.get(title)
    said = f"{found.title or found.name}: {found.evidence}"
    if listed is None or differs(Composition.of(found.pairs), listed):
        return said
    return f"{said}; the image count matches Table 10 of the paper for {title}"


def _find_all(path: Path, choices: DatasetChoices, log: ProblemLog) -> list[_Found]:
    if choices.pairs is not None:
        listed = read_list(choices.pairs)
        roots = replace(choices.roots, folders=(*choices.roots.folders, path))
        return [_listed(choices.pairs, listed, roots, log)]
    if path.is_dir():
        return [_folder(path, choices, log)]
    listed = read_list(path)
    if listed.rows:
        return [_listed(path, listed, choices.roots, log)]
    found = [
        one
        for name, place in listed.members
        if (one := _member(path, name, place, choices, log)) is not None
    ]
    if not found:
        raise DatasetError(
            "None of the datasets in the list can be opened",
            where=path,
            hint=next((f"{problem.message}: {problem.where}" for problem in log), ""),
            rule="imdl.list",
        )
    return found


def _member(
    path: Path, name: str, place: str, choices: DatasetChoices, log: ProblemLog
) -> _Found | None:
    where = Finder(path.parent, choices.roots).find(place)
    if where is None or not where.exists():
        outside = _outside(place, path.name, offered=place.replace("\\", "/").rstrip("/"))
        log.add(outside if where is None else _missing(place, path.name))
        return None
    try:
        if where.is_dir():
            return replace(_folder(where, choices, log), name=name)
        listed = read_list(where)
        return replace(_listed(where, listed, choices.roots, log), name=name)
    except DatasetError as error:
        log.add(error.as_problem())
        return None


def _tell_outside(folders: Counter[str], listed_in: str, log: ProblemLog) -> None:
    """Tell how many files lie where; one folder above them all is offered where there is one."""
    try:
        above = os.path.commonpath(folders) if folders else ""
    except ValueError:
        above = ""
    offered = above if len(Path(above).parts) > _LEAST_OFFERED else ""
    for folder, count in folders.items():
        what = "1 file" if count == 1 else f"{count} files"
        problem = _outside(f"{what} in {folder}", listed_in, offered=offered or folder)
        log.add(replace(problem, times=count))


def _outside(place: str, listed_in: str, *, offered: str) -> Problem:
    return Problem(
        Severity.ERROR,
        f"Not opened because it is outside the folders that may be read: {place}",
        where=listed_in,
        hint=f"add --root {offered}, or give its new location: --map {offered}=FOLDER",
        rule=OUTSIDE,
    )


def _missing(place: str, listed_in: str) -> Problem:
    return Problem(
        Severity.ERROR,
        f"{place} does not exist",
        where=listed_in,
        hint="name its folder with --root DIR, or --map OLD=NEW",
        rule="imdl.missing",
    )


def _listed(path: Path, listed: ListFile, roots: Roots, log: ProblemLog) -> _Found:
    finder = Finder(path.parent, roots)
    allowed = roots.allowed(path.parent)
    try:
        root = Path(os.path.commonpath(allowed))
    except ValueError as error:
        raise DatasetError(
            "The list and its files are on different drives",
            where=path,
            hint="copy the list to the drive of its files",
            rule="imdl.list",
        ) from error
    pairs, outside = find_listed(listed, finder, root)
    _tell_outside(outside, path.name, log)
    if not pairs:
        raise DatasetError(
            "None of the listed files is below the folder of the list or below a folder you named",
            where=path,
            hint=next((problem.hint for problem in log if problem.rule == OUTSIDE), ""),
            rule=OUTSIDE,
        )
    name = os.path.relpath(path, root).replace(os.sep, "/")
    return _Found(
        root, path.stem, tuple(pairs), f"{listed.kind} {path.name}", files=(("list", name),)
    )


def tree_of(path: Path) -> FolderTree:
    return FolderTree.of(path, follows_links=follows_links(path))


def _tell_links(tree: FolderTree, log: ProblemLog) -> None:
    """Tell once that links of the dataset lead elsewhere."""
    for name in tree.skipped_links:
        try:
            resolve(tree.root, name)
        except UnsafePathError as error:
            if error.rule == LINKS:
                log.add(error.as_problem())
                return


def find_listed(listed: ListFile, finder: Finder, root: Path) -> tuple[list[Pair], Counter[str]]:
    """The pairs of a list by names relative to ``root``, and how many lie in folders outside."""
    pairs, outside = [], Counter[str]()
    for row in listed.rows:
        image = finder.find(row.image)
        mask = finder.find(row.mask) if row.mask else None
        missed = [row.image] if image is None else []
        missed += [row.mask] if row.mask and mask is None else []
        outside.update(map(finder.folder_of, missed))
        if image is None or missed:
            continue
        names = [os.path.relpath(each, root).replace(os.sep, "/") for each in (image, mask) if each]
        pairs.append(Pair(names[0], names[1] if mask else "", row.is_target))
    return pairs, outside


def _folder(path: Path, choices: DatasetChoices, log: ProblemLog) -> _Found:
    tree = tree_of(path)
    _tell_links(tree, log)
    known = None if choices.pairing is Pairing.POSITION else find_known(tree)
    if known is not None:
        _tell_known(known, tree, log)
        return _Found(
            path,
            path.name,
            known.pairs,
            known.evidence,
            known.title,
            guesses_polarity=known.guesses_polarity,
        )
    found = find_candidates(tree)
    if found is None:
        raise DatasetError(
            "The folder contains no images with masks",
            where=path,
            hint=next((problem.hint for problem in log if problem.rule == LINKS), "")
            or "open a folder with Tp and Gt, a list of images and masks, or an unpacked "
            "public dataset",
            rule="imdl.nothing",
        )
    matches = _matched(found.images, found.masks, choices, log, where=path.name)
    pairs = [Pair(image, mask) for image, mask in matches.masks.items()]
    pairs += [Pair(image, is_target=False) for image in found.authentic]
    return _Found(path, path.name, tuple(pairs), found.evidence)


def _called_after_masks(tree: FolderTree) -> str | None:
    """The uppermost folder with a name like fake_masks; maps of a model are not masks."""
    found = []
    for folder in tree.folders:
        words = set(re.split(r"[^a-z]+", folder.rpartition("/")[2].lower()))
        if words & _MASK_WORDS and not words & _OTHER_WORDS:
            found.append(folder)
    return min(found, key=lambda each: each.count("/"), default=None)


def _is_images_beside_masks(tree: FolderTree) -> bool:
    """Whether a folder called like one of masks has files named like images beside it."""
    if _called_after_masks(tree) is None:
        return False
    found = find_candidates(tree)
    return found is not None and any(by_stem(found.images, found.masks).masks.values())


@dataclass(frozen=True, slots=True)
class Candidates:
    """The images and masks of a folder before they are paired; authentic images need no mask."""

    images: list[str]
    masks: list[str]
    authentic: list[str]
    evidence: str


def find_candidates(tree: FolderTree) -> Candidates | None:
    """What may belong together in a folder nobody published."""
    masks_in = tree.named("Gt") or tree.named(*_MASK_FOLDERS) or _called_after_masks(tree)
    images_in = tree.named("Tp") or _image_folder(tree, masks_in)
    images, masks = tree.below(images_in), tree.below(masks_in)
    images = [name for name in images if masks_in is None or not name.startswith(f"{masks_in}/")]
    if not images or not masks:
        return None
    authentic = [name for name in images if _is_authentic(name)]
    kept = [name for name in images if name not in set(authentic)]
    others = tree.below(tree.named("Au")) if tree.named("Tp") else authentic
    is_mani = tree.named("Tp") is not None and tree.named("Gt") is not None
    evidence = (
        "ManiDataset: Tp and Gt"
        if is_mani
        else f"images in {images_in or '.'}, masks in {masks_in}"
    )
    return Candidates(kept, masks, others, evidence)


def _image_folder(tree: FolderTree, masks_in: str | None) -> str:
    """The folder beside the masks that holds images; the whole dataset where there are several."""
    beside = [
        folder
        for folder in tree.folders
        if folder.count("/") == (masks_in or "").count("/")
        and folder != masks_in
        and folder.rpartition("/")[2].lower() not in _AUTHENTIC
        and tree.below(folder)
    ]
    return beside[0] if len(beside) == 1 and not _has_authentic(tree) else ""


def _has_authentic(tree: FolderTree) -> bool:
    return any(folder.rpartition("/")[2].lower() in _AUTHENTIC for folder in tree.folders)


def _is_authentic(name: str) -> bool:
    return any(part.lower() in _AUTHENTIC for part in name.split("/")[:-1])


def _matched(
    images: Sequence[str],
    masks: Sequence[str],
    choices: DatasetChoices,
    log: ProblemLog,
    *,
    where: str,
) -> Matches:
    named, placed = by_stem(images, masks), by_position(images, masks)
    chosen = placed if choices.pairing is Pairing.POSITION else named
    _tell_counts(len(images), len(masks), log, where=where)
    apart = differing(named, placed)
    if apart:
        log.warn(
            f"Pairing by position gives {len(apart)} of {len(images)} images a different "
            f"mask than pairing by name ({_example(apart[0], named, placed)})",
            where=where,
            hint="IMDL-BenCo pairs them by position",
            rule="imdl.position-differs",
        )
    if choices.pairing is None and not named.is_certain:
        left = len(named.left_over) + len(named.doubles)
        log.warn(
            f"It is uncertain which mask belongs to which image: {left} of {len(masks)} "
            "masks match no image by name or share their name with another mask "
            f"({next(iter(named.left_over), masks[0])})",
            where=where,
            hint="choose with --pairing stem, --pairing position or --pairing FILE",
            rule=PAIRING,
        )
    _tell_unmatched(chosen.without_mask, chosen.left_over, log)
    return chosen


def _tell_counts(images: int, masks: int, log: ProblemLog, *, where: str) -> None:
    if images != masks:
        log.warn(
            f"There are {images} images and {masks} masks",
            where=where,
            hint="IMDL-BenCo pairs them by position without a warning",
            rule="imdl.counts",
        )


def _example(image: str, named: Matches, placed: Matches) -> str:
    said = [base(each.masks[image]) or "none" for each in (named, placed)]
    return f"{base(image)}: {said[0]} by name, {said[1]} by position"


def _tell_known(known: Known, tree: FolderTree, log: ProblemLog) -> None:
    where = tree.root.name
    for note in known.notes:
        log.note(note, where=where, rule="imdl.mended")
    images = [pair.image for pair in known.pairs if pair.is_target]
    masks = sorted({pair.mask for pair in known.pairs if pair.mask} | {*known.left_over})
    is_mani = tree.named("Tp") is not None and tree.named("Gt") is not None
    if is_mani and masks:
        _tell_counts(len(images), len(masks), log, where=where)
        named = Matches({pair.image: pair.mask for pair in known.pairs if pair.is_target}, ())
        apart = differing(named, by_position(images, masks))
        if apart:
            log.warn(
                f"Pairing by position gives {len(apart)} of {len(images)} images a different "
                "mask than pairing by name",
                where=where,
                hint="IMDL-BenCo pairs by position and would score these images against the "
                "wrong mask",
                rule="imdl.position-differs",
            )
    bare = [pair.image for pair in known.pairs if pair.is_target and not pair.mask]
    _tell_unmatched([image for image in bare if image], known.left_over, log)


def _tell_unmatched(images: Iterable[str], masks: Iterable[str], log: ProblemLog) -> None:
    for names, message, rule in (
        (list(images), "The manipulated image has no mask, so it is not scored", "imdl.no-mask"),
        (list(masks), "The mask does not belong to any image", "imdl.lonely-mask"),
    ):
        for name in names[:_NAMED]:
            log.warn(message, where=name, rule=rule)
        if len(names) > _NAMED:
            log.warn(f"{len(names) - _NAMED} more: {message.lower()}", rule=rule)


def _task(found: _Found, choices: DatasetChoices, log: ProblemLog, *, is_alone: bool) -> Task:
    pairs = _with_polarity(found, choices, log)
    _tell_composition(found, pairs, log)
    table = _table(found.name, pairs, log)
    trials = TableTrials(TaskKind.IMDL, table, journal_masks=None, probe_journals=None)
    return Task(
        kind=TaskKind.IMDL,
        edition=Edition.IMDL,
        root=found.root,
        table=table,
        trials=trials,
        reference=table,
        files=dict(found.files),
        label="" if is_alone else f"{TaskKind.IMDL.value}:{found.name}",
    )


def _task_of_several(found: _Found, choices: DatasetChoices, log: ProblemLog) -> Task:
    """One task of a test list; its problems name files with the dataset they are of."""
    own = ProblemLog()
    task = _task(found, choices, own, is_alone=False)
    for told in own:
        is_file = bool(told.where) and (found.root / told.where).exists()
        log.add(replace(told, where=f"{found.name}/{told.where}") if is_file else told)
    return task


def _with_polarity(found: _Found, choices: DatasetChoices, log: ProblemLog) -> tuple[Pair, ...]:
    """The pairs as the user, the layout or the masks themselves say they are read."""
    check = PairCheck(found.root, where=found.name)
    looked_into = sample(found.pairs, SAMPLED)
    for pair in looked_into:
        check.look_at(pair)
    if len(found.pairs) <= _MOST_MEASURED:
        seen = {pair.image for pair in looked_into}
        for pair in (pair for pair in found.pairs if pair.image not in seen):
            check.measure(pair)
    log.extend(check.problems())
    _tell_sampled(found, looked_into, log)
    if choices.polarity is not None:
        rule = MaskRule.WHITE if choices.polarity is Polarity.WHITE else MaskRule.BLACK
        return tuple(replace(pair, rule=rule) if pair.mask else pair for pair in found.pairs)
    if not check.polarity.looks_inverted:
        return found.pairs
    if found.guesses_polarity:
        log.note(
            f"Black means manipulated here: {check.polarity.evidence}",
            where=found.name,
            hint="NIST16 exists in both polarities",
            rule="imdl.polarity",
        )
        return tuple(replace(pair, rule=pair.rule.inverted) for pair in found.pairs)
    if not found.title:
        log.warn(
            f"It is uncertain which colour means manipulated: {check.polarity.evidence}",
            where=found.name,
            hint="choose with --reference-polarity white or --reference-polarity black",
            rule=POLARITY,
        )
    return found.pairs


def _tell_sampled(found: _Found, looked_into: Sequence[Pair], log: ProblemLog) -> None:
    masks, seen = (sum(bool(pair.mask) for pair in pairs) for pairs in (found.pairs, looked_into))
    if masks > seen:
        what = "files" if len(found.pairs) > _MOST_MEASURED else "values of the masks"
        log.note(
            f"The {what} of only {seen} of {masks} pairs were checked, spread over the dataset",
            where=found.name,
            hint="forensicviewer info DATASET --files checks all of them",
            rule="imdl.sampled",
        )


def _tell_composition(found: _Found, pairs: Sequence[Pair], log: ProblemLog) -> None:
    title = found.title or title_of(found.name)
    listed = TABLE_10.get(title)
    counted = Composition.of(pairs)
    if listed is not None and differs(counted, listed):
        message = f"{counted}; Table 10 of the paper lists {listed} for {title}"
        log.note(message, where=found.name, rule="imdl.composition")


def _table(name: str, pairs: Sequence[Pair], log: ProblemLog) -> Table:
    pairs = _once_each(name, pairs, log)
    counts = Counter(base(pair.image) for pair in pairs)
    stems = Counter(stem(pair.image) for pair in pairs)
    twice = [each for each, count in stems.items() if count > 1]
    if twice:
        log.warn(
            f"{len(twice)} names occur more than once ({twice[0]})",
            where=name,
            hint="IMDL-BenCo saves predictions by name, so they overwrite each other",
            rule="imdl.duplicate",
        )
    ids = [pair.image if counts[base(pair.image)] > 1 else base(pair.image) for pair in pairs]
    said = {True: "Y", False: "N", None: ""}
    columns = {
        "ProbeFileID": ids,
        "ProbeFileName": [pair.image for pair in pairs],
        "ProbeMaskFileName": [pair.mask for pair in pairs],
        "IsTarget": [said[pair.is_target] for pair in pairs],
        "Manipulation": [pair.manipulation for pair in pairs],
        "MaskRule": [pair.rule.value if pair.mask else "" for pair in pairs],
    }
    if any(pair.polygons for pair in pairs):
        columns["Polygons"] = [pair.polygons for pair in pairs]
    return Table.of(name, columns)


def _once_each(name: str, pairs: Sequence[Pair], log: ProblemLog) -> list[Pair]:
    """Each image once: of rows that name the same image the first counts."""
    first: dict[str, Pair] = {}
    again = [pair for pair in pairs if first.setdefault(pair.image, pair) is not pair]
    if again:
        others = sum(pair.mask != first[pair.image].mask for pair in again)
        log.warn(
            f"{len(again)} rows repeat the image of an earlier row, {others} of them with a "
            f"different mask ({again[0].image})",
            where=name,
            hint="the first row counts; IMDL-BenCo scores every row",
            rule="imdl.listed-twice",
        )
    return list(first.values())
