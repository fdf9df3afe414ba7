"""The differences between the rule sets in scoring provenance graphs and filtering."""

from __future__ import annotations

from forensicviewer.core.rules import MEDISCORE, PLAN, VERBATIM, Switch


class UnlinkedNodes(
    Switch,
    key="provenance.unlinked-nodes",
    title="Images of the reference that no link connects",
    source="plan MFC2019, section 2.1.4.4: all images related to the probe must be in the graph",
):
    LEFT_OUT = (
        "left-out",
        "The reference holds only images connected by a link, so a probe without links has "
        "an empty reference",
        MEDISCORE,
        VERBATIM,
    )
    KEPT = (
        "kept",
        "The reference holds the probe and every world image of the probe",
        PLAN,
    )


class DirectSystem(
    Switch,
    key="provenance.direct-system",
    title="System graph under the direct condition",
    source="plan MFC2019, section 2.1.4.4: the node set is restricted",
):
    WHOLE = (
        "whole",
        "Only the reference is reduced to ancestors and descendants of the probe; other "
        "images that the system returned count as false alarms",
        MEDISCORE,
        VERBATIM,
    )
    REDUCED = ("reduced", "Both graphs are reduced to ancestors and descendants of the probe", PLAN)


class Unprocessed(
    Switch,
    key="provenance.unprocessed",
    title="Trials the system did not process",
    source="plans MFC2019, section 2.2, and NC2017, section 2.1.1.2",
):
    DROPPED = (
        "dropped",
        "Trials with a status other than Processed are excluded from all means",
        MEDISCORE,
        VERBATIM,
    )
    SCORED = (
        "scored",
        "They are scored as an empty answer, unless opted-out trials are excluded",
        PLAN,
    )


class NodeNames(
    Switch,
    key="provenance.node-names",
    title="File name of a journal node",
    source="ProvenanceGraphBuildingScorer: one look-up table for all journals",
):
    OWN_PROBE = ("own-probe", "Taken from the node table's row of this probe", MEDISCORE, PLAN)
    ANY_JOURNAL = (
        "any-journal",
        "Taken from the last row of the node table with this journal node id, even if that "
        "row belongs to another journal",
        VERBATIM,
    )


class RepeatedAnswers(
    Switch,
    key="provenance.repeated-answers",
    title="Probe listed more than once in the submission",
    source="ProvenanceGraphBuildingScorer with its trial check skipped",
):
    FIRST = ("first", "The first row counts; the others are reported", MEDISCORE, PLAN)
    EACH = ("each", "Every row is scored as a separate trial and counts in the means", VERBATIM)


class FilteringProbe(
    Switch,
    key="filtering.probe",
    title="A probe that is also in the world set",
    source="ProvenanceFilteringScorer adds the probe to the reference without checking",
):
    ONCE = ("once", "It counts once among the images to find", MEDISCORE, PLAN)
    TWICE = ("twice", "It counts twice: as a world image and as the probe", VERBATIM)


class FilteringRows(
    Switch,
    key="filtering.repeated-rows",
    title="Image listed more than once in the node or world table",
    source="ProvenanceFilteringScorer joins both tables row by row",
):
    ONCE = ("once", "It counts once among the images to find", MEDISCORE, PLAN)
    EACH = ("each", "It counts once for every pair of its rows in the two tables", VERBATIM)


class FilteringRepeats(
    Switch,
    key="filtering.repeated-images",
    title="Image listed more than once by the system",
    source="ProvenanceFilteringScorer joins lists instead of sets",
):
    ONCE = ("once", "Only its best rank counts", MEDISCORE, PLAN)
    EACH = (
        "each",
        "Every entry takes a rank and counts as found, so recall can exceed 1",
        VERBATIM,
    )


class FilteringTies(
    Switch,
    key="filtering.ties",
    title="Order of images with equal confidence",
    source="ProvenanceFilteringScorer sorts by quicksort",
):
    LISTED = ("listed", "They keep the order in which the system listed them", MEDISCORE, PLAN)
    UNSTABLE = (
        "unstable",
        "They follow the unstable sort of NIST's program",
        VERBATIM,
    )


class FilteringCuts(
    Switch,
    key="filtering.cuts",
    title="List lengths at which recall is computed",
    source="plans NC2017 and MFC2019, section 2.1.3 and Appendix C",
):
    ALL = ("all", "50, 100, 200, 300 and 500", MEDISCORE)
    CODE = ("code", "50, 100, 200 and 300", VERBATIM)
    EDITION = ("edition", "50, 100 and 200 for NC2017; 300 for later editions", PLAN)


GRAPH_SWITCHES: tuple[type[Switch], ...] = (
    UnlinkedNodes,
    DirectSystem,
    Unprocessed,
    NodeNames,
    RepeatedAnswers,
)

FILTERING_SWITCHES: tuple[type[Switch], ...] = (
    Unprocessed,
    RepeatedAnswers,
    FilteringProbe,
    FilteringRows,
    FilteringRepeats,
    FilteringTies,
    FilteringCuts,
)

SWITCHES = tuple(dict.fromkeys((*GRAPH_SWITCHES, *FILTERING_SWITCHES)))
