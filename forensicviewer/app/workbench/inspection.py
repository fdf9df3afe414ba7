"""What is known about the pixel under the cursor, and about the file it belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from forensicviewer.app.language.units import AreaUnit, format_area
from forensicviewer.app.language.words import to_translate, tr, tr_many
from forensicviewer.app.workbench.legend_counts import current_counted
from forensicviewer.app.workbench.loaded_trial import LoadedSide, LoadedSystem, LoadedTrial
from forensicviewer.app.workbench.request import examples_of
from forensicviewer.app.workbench.snapping import threshold_on
from forensicviewer.app.workbench.state import ViewState
from forensicviewer.core.array import Size
from forensicviewer.core.layer_pixels import level_at
from forensicviewer.core.lens.lens import JpegTables
from forensicviewer.core.mask import UNKNOWN_OPERATION, Region
from forensicviewer.core.model import Operation, Side
from forensicviewer.core.overlay import OUTSIDE_CODE, outcome_of
from forensicviewer.core.palette import Outcome
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.media.images import ImageFacts, digest


@dataclass(frozen=True, slots=True)
class PixelReport:
    """One pixel through all layers. Values are the files' own (NIST: 0 is black, manipulated).

    Its words are English, as they are copied; the window translates them.
    """

    x: int
    y: int
    rgb: tuple[int, ...] | None
    base: tuple[int, ...] | None
    base_name: str
    reference: str
    reference_value: str
    system: tuple[int | None, ...]
    outcome: Outcome | None
    operations: tuple[Operation, ...]

    @property
    def reason(self) -> str:
        """Why the pixel is not scored; blank where it is."""
        return _REASONS.get(self.outcome, "") if self.outcome is not None else ""

    @property
    def said_value(self) -> str:
        """The value in the reference's file, shown after its meaning."""
        return f" ({self.reference_value})" if self.reference_value else ""

    @property
    def position(self) -> str:
        return f"x {self.x}, y {self.y}"

    def as_text(self) -> str:
        """One line for the clipboard."""
        parts = [self.position]
        if self.rgb is not None:
            parts.append("RGB " + " ".join(str(part) for part in self.rgb))
        if self.base is not None:
            parts.append(f"{self.base_name} RGB " + " ".join(str(part) for part in self.base))
        if self.reference:
            parts.append(f"reference {self.reference}{self.said_value}")
        parts += [f"system {value}" for value in self.system if value is not None]
        if self.outcome is not None:
            parts.append(
                f"{self.outcome.value} ({self.reason})" if self.reason else self.outcome.value
            )
        if self.operations:
            parts.append("operations " + ", ".join(found.name for found in self.operations))
        return "; ".join(parts)


_REASONS = {
    Outcome.BOUNDARY: to_translate("too close to the boundary of a selected region"),
    Outcome.UNSELECTED: to_translate("changed by an unselected operation, or close to one"),
    Outcome.OPT_OUT: to_translate("the system opted out of this pixel"),
    Outcome.OUTSIDE: to_translate("outside the scored mask"),
}


def inspect(state: ViewState) -> PixelReport | None:
    """The pixel under the cursor; ``None`` when there is none."""
    if state.cursor is None or state.loaded is None:
        return None
    x, y = state.cursor
    side = state.loaded.on(state.cursor_side)
    scores = [None if s.means is None else level_at(s.means, x, y) for s in side.systems]
    return PixelReport(
        x=x,
        y=y,
        rgb=None if side.pictures is None else level_at(side.pictures, x, y),
        base=None if side.base is None else level_at(side.base, x, y),
        base_name=side.titles.get("base", to_translate("base")),
        reference=_reference_text(side, x, y),
        reference_value=_reference_value(side, x, y),
        system=tuple(
            None if found is None else (255 - found[0] if state.speaks_nist else found[0])
            for found in scores
        ),
        outcome=_outcome(state, side, x, y),
        operations=tuple(_operations_at(side, x, y)),
    )


def _outcome(state: ViewState, side: LoadedSide, x: int, y: int) -> Outcome | None:
    """What became of the pixel, by the system whose pixels the legend counts."""
    number = current_counted(state).system
    system = side.systems[number] if number < len(side.systems) else None
    if system is None or (system.regions is None and not system.alarms):
        return None
    found = None if system.means is None else level_at(system.means, x, y)
    score = (0,) if system.is_scored_as_empty else found
    code = _region(system, x, y)
    if score is None or code == OUTSIDE_CODE:
        return outcome_of(OUTSIDE_CODE, 0, 0)
    return outcome_of(code, score[0], threshold_on(state, side.side, system=number))


def _region(system: LoadedSystem, x: int, y: int) -> int:
    if system.regions is None:
        return Region.BACKGROUND
    codes = system.regions.codes
    is_inside = y < codes.shape[0] and x < codes.shape[1]
    return int(codes[y, x]) if is_inside else OUTSIDE_CODE


def _reference_text(side: LoadedSide, x: int, y: int) -> str:
    index = None if side.operations is None else level_at(side.operations, x, y)
    if index is None:
        return ""
    if index[0] == 0:
        return to_translate("not manipulated")
    is_unknown = index[0] == UNKNOWN_OPERATION
    return (
        to_translate("marked, but not in the journal")
        if is_unknown
        else to_translate("manipulated")
    )


def _reference_value(side: LoadedSide, x: int, y: int) -> str:
    """The colour or the bits of a pixel; blank where black and white are all there is."""
    index = None if side.operations is None else level_at(side.operations, x, y)
    operations = () if side.reference is None else side.reference.operations
    if index is None or not operations:
        return ""
    if side.planes is not None:
        value = int.from_bytes(side.planes[y, x].tobytes(), "little")
        bits = [str(bit + 1) for bit in range(value.bit_length()) if value >> bit & 1]
        return f"bit {'+'.join(bits)}" if bits else ""
    if index[0] == UNKNOWN_OPERATION:
        return ""
    color = (255, 255, 255) if index[0] == 0 else operations[index[0] - 1].color
    return "" if color is None else " ".join(map(str, color))


def _operations_at(side: LoadedSide, x: int, y: int) -> Iterator[Operation]:
    reference = side.reference
    index = None if side.operations is None else level_at(side.operations, x, y)
    if reference is None or not reference.operations or not index or index[0] == 0:
        return
    if side.planes is not None:
        bits = int.from_bytes(side.planes[y, x].tobytes(), "little")
        for operation in reference.operations:
            if operation.bit_plane is not None and bits >> (operation.bit_plane - 1) & 1:
                yield operation
    elif index[0] != UNKNOWN_OPERATION:
        color = reference.operations[index[0] - 1].color
        yield from (found for found in reference.operations if found.color == color)


def file_facts(
    loaded: LoadedTrial, side: Side, areas: AreaUnit = AreaUnit.BOTH
) -> tuple[tuple[str, str], ...]:
    """The facts about the image file, ready to be listed."""
    shown = loaded.on(side)
    facts = shown.facts
    rows = [(tr("Name"), shown.media.name), (tr("Id"), shown.media.id), *_question_facts(loaded)]
    if facts is None:
        return (*rows, (tr("Problem"), tr(shown.reason)))
    rows += [
        (tr("Format"), f"{facts.format}, {facts.channels} × {facts.bit_depth} bit"),  # noqa: RUF001 - a sign to read
        (tr("Size"), _sized(facts.size, areas)),
        (tr("File"), tr_many("{count} byte", "{count} bytes", facts.byte_count)),
    ]
    if shown.media.size is not None and shown.media.size != facts.size:
        rows.append((tr("Index"), str(shown.media.size)))
    if facts.is_turned:
        rows.append((tr("Orientation"), _turned(facts, is_as_stored=shown.is_as_stored)))
    if facts.jpeg is not None:
        rows += _jpeg(facts.jpeg)
    rows += [(f"EXIF {name}", value) for name, value in facts.exif.items()]
    return tuple(rows)


def _jpeg(tables: JpegTables) -> Iterator[tuple[str, str]]:
    """The quality and the quantization tables, a row of eight steps a line."""
    # With the filters that lenses are: not needed before a JPEG file is looked at.
    from forensicviewer.core.lens.compression import jpeg_quality

    found = jpeg_quality(tables)
    quality = str(found.quality) if found.is_exact else tr("about {n}", n=found.quality)
    tables_said = tr("standard tables") if found.is_exact else tr("custom tables")
    yield tr("JPEG quality"), f"{quality}, {tables_said}"
    for number, table in enumerate(tables.tables, start=1):
        for row in range(8):
            steps = " ".join(f"{step:3}" for step in table[8 * row : 8 * row + 8])
            title = tr("Quantization table {number}", number=number)
            yield title if row == 0 else "", steps


def _question_facts(loaded: LoadedTrial) -> Iterator[tuple[str, str]]:
    """What a camera or event trial asks about, and what is known of it."""
    condition, gallery = loaded.request.task.condition, loaded.trial.gallery
    if condition is not None:
        yield tr("Train-test condition"), str(condition)
    if gallery is not None:
        known = tr_many(
            "{count} known example", "{count} known examples", len(examples_of(loaded.trial))
        )
        said = tr(
            "{name}: {known} from {source}", name=gallery.name, known=known, source=gallery.source
        )
        yield tr("Compared with"), said


def _sized(size: Size, areas: AreaUnit) -> str:
    """Width, height and how much that is; an image is not said to be all of itself."""
    pixels = size.width * size.height
    unit = AreaUnit.MEGAPIXELS if areas is AreaUnit.MEGAPIXELS else AreaUnit.PIXELS
    return f"{size}, {format_area(pixels, pixels, unit)}"


def _turned(facts: ImageFacts, *, is_as_stored: bool) -> str:
    stored = tr("stored {size}", size=facts.stored_size)
    how = tr("the stored pixels are shown") if is_as_stored else tr("rotated upright for display")
    return f"EXIF {facts.orientation}, {stored}; {how}"


def media_path(state: ViewState) -> Path | None:
    """The file of the current image; ``None`` when there is none."""
    task = state.task
    trial = None if task is None else task.find_trial(state.trial_id)
    if task is None or trial is None:
        return None
    media = trial.donor if state.side is Side.DONOR and trial.donor is not None else trial.probe
    try:
        return resolve(Path(task.root), media.name)
    except ForensicViewerError:
        return None


def file_digest(loaded: LoadedTrial, side: Side) -> str:
    """The SHA-256 of the image's file; blank where it cannot be read."""
    root = Path(loaded.request.task.root)
    try:
        return digest(resolve(root, loaded.on(side).media.name))
    except (ForensicViewerError, OSError):
        return ""
