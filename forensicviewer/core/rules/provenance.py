"""Where the rule sets differ in scoring provenance graphs and provenance filtering."""

from __future__ import annotations

from forensicviewer.core.rules.switch import Switch

UNLINKED_NODES = Switch(
    name="provenance.unlinked-nodes",
    title="Images of the reference that no link touches",
    choices={
        "left-out": "The reference holds only images touched by a link, so a probe without links "
        "has an empty reference",
        "kept": "Every world image of the probe and the probe itself belong to the reference",
    },
    mediscore="left-out",
    verbatim="left-out",
    plan="kept",
    source="MFC2019 plan 2.1.4.4: all images related to the probe must be in the graph",
)

DIRECT_SYSTEM = Switch(
    name="provenance.direct-system",
    title="System graph under the direct condition",
    choices={
        "whole": "Only the reference is reduced to ancestors and descendants of the probe; what "
        "else the system returned counts as false alarm",
        "reduced": "Both graphs are reduced to ancestors and descendants of the probe",
    },
    mediscore="whole",
    verbatim="whole",
    plan="reduced",
    source="MFC2019 plan 2.1.4.4: the node set is restricted, systems return the whole graph",
)

UNPROCESSED = Switch(
    name="provenance.unprocessed",
    title="Trials the system did not process",
    choices={
        "dropped": "Trials with any other status than Processed are left out of all means",
        "scored": "They are scored as an empty answer unless opted-out trials are left out",
    },
    mediscore="dropped",
    verbatim="dropped",
    plan="scored",
    source="MFC2019 plan 2.2: measures over all trials and over the processed ones",
)

NODE_NAMES = Switch(
    name="provenance.node-names",
    title="File name of a journal node",
    choices={
        "own-probe": "Taken from the node table's row of this probe",
        "any-journal": "Taken from the last row of the node table with this journal node id, even "
        "when that row belongs to another journal",
    },
    mediscore="own-probe",
    verbatim="any-journal",
    plan="own-probe",
    source="ProvenanceGraphBuildingScorer: one look-up table for all journals",
)

REPEATED_ANSWERS = Switch(
    name="provenance.repeated-answers",
    title="Probe listed more than once in the submission",
    choices={
        "first": "The first row counts, the others are reported",
        "each": "Every row is scored as a trial of its own and weighs in the means",
    },
    mediscore="first",
    verbatim="each",
    plan="first",
    source="ProvenanceGraphBuildingScorer with its trial check skipped",
)

FILTERING_PROBE = Switch(
    name="filtering.probe",
    title="Probe that is itself in the world set",
    choices={
        "once": "It counts once among the images to find",
        "twice": "It counts twice: as world image and as probe",
    },
    mediscore="once",
    verbatim="twice",
    plan="once",
    source="ProvenanceFilteringScorer adds the probe to the reference without looking",
)

FILTERING_ROWS = Switch(
    name="filtering.repeated-rows",
    title="Image listed more than once in the node or world table",
    choices={
        "once": "It counts once among the images to find",
        "each": "It counts once for every pair of its rows in both tables",
    },
    mediscore="once",
    verbatim="each",
    plan="once",
    source="ProvenanceFilteringScorer joins both tables row by row",
)

FILTERING_REPEATS = Switch(
    name="filtering.repeated-images",
    title="Image listed more than once by the system",
    choices={
        "once": "Only its best place in the ranking counts",
        "each": "Every entry takes a place in the ranking and every one of them counts as found, "
        "so recall can exceed 1",
    },
    mediscore="once",
    verbatim="each",
    plan="once",
    source="ProvenanceFilteringScorer joins lists instead of sets",
)

FILTERING_TIES = Switch(
    name="filtering.ties",
    title="Order of images with equal confidence",
    choices={
        "listed": "They stay in the order the system listed them",
        "unstable": "They fall as the unstable sort of NIST's program leaves them",
    },
    mediscore="listed",
    verbatim="unstable",
    plan="listed",
    source="ProvenanceFilteringScorer sorts by quicksort",
)

FILTERING_CUTS = Switch(
    name="filtering.cuts",
    title="List lengths at which recall is taken",
    choices={
        "all": "50, 100, 200, 300 and 500",
        "code": "50, 100, 200 and 300",
        "edition": "50, 100 and 200 for NC2017, 300 for later editions",
    },
    mediscore="all",
    verbatim="code",
    plan="edition",
    source="NC2017 plan 2.1.3, MFC2019 plan 2.1.3 and appendix C",
)

GRAPH_SWITCHES = (UNLINKED_NODES, DIRECT_SYSTEM, UNPROCESSED, NODE_NAMES, REPEATED_ANSWERS)

FILTERING_SWITCHES = (
    UNPROCESSED,
    REPEATED_ANSWERS,
    FILTERING_PROBE,
    FILTERING_ROWS,
    FILTERING_REPEATS,
    FILTERING_TIES,
    FILTERING_CUTS,
)

SWITCHES = tuple(dict.fromkeys((*GRAPH_SWITCHES, *FILTERING_SWITCHES)))
