"""The commands of the pages: images, thresholds, comparisons, video and graph."""

from __future__ import annotations

from functools import partial

from forensicviewer.app.commands.command import Command, Need
from forensicviewer.app.workbench.scope import Scope
from forensicviewer.app.workbench.state import SystemStyle
from forensicviewer.core.palette import PaletteName

_PICTURE = Need.STILLS | Need.PICTURE
_PANES = Need.PANES | Need.PICTURE
_picture = partial(Command, needs=_PICTURE, scope=Scope.STILLS)
_pane = partial(Command, needs=_PANES, scope=Scope.PANES)
_scored = partial(Command, needs=_PANES | Need.SUBMISSION, scope=Scope.PANES)
_video = partial(Command, needs=Need.VIDEO, scope=Scope.VIDEO)
_graph = partial(Command, needs=Need.GRAPH, scope=Scope.GRAPH)
# The panels around the page and what they are called.
PANELS = {
    "trials": "Trials",
    "score": "Threshold",
    "metrics": "Metrics",
    "operations": "Operations",
    "legend": "Legend",
    "detection": "Detection",
    "picture": "Image",
    "checklist": "Checklist",
    "adjudicator": "Verdict",
    "suspects": "Suspects",
    "problems": "Problems",
    "jobs": "Jobs",
}

# Where the cursor goes, as columns and rows.
CURSOR_STEPS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
_ARROW_KEYS = {"left": "Left", "right": "Right", "up": "Up", "down": "Down"}
# Not arrows with Shift as well: window managers take these for themselves.
_LEAP_KEYS = {"left": "Home", "right": "End", "up": "PgUp", "down": "PgDown"}

VIEW = (
    _pane(
        "view.fit",
        "Fit image",
        "View",
        ("F", "Ctrl+9"),
        "Show the whole image",
        icon="fit",
        on_toolbar=True,
        in_context=True,
    ),
    _pane(
        "view.actual_size",
        "100 %",
        "View",
        ("Ctrl+0",),
        "Show one image pixel per screen pixel",
        icon="actual",
        on_toolbar=True,
        in_context=True,
    ),
    _picture("view.zoom_in", "Zoom in", "View", ("+", "="), icon="zoom-in"),
    _picture("view.zoom_out", "Zoom out", "View", ("-",), icon="zoom-out"),
    _pane(
        "view.link",
        "Link panes",
        "View",
        ("Ctrl+Alt+L",),
        "Zoom and move all panes together",
        checkable=True,
        icon="link",
        on_toolbar=True,
    ),
    _pane(
        "view.maximise_pane",
        "Maximise pane",
        "View",
        ("Ctrl+M",),
        "Show only the active pane, or all panes again; a double-click does the same",
        checkable=True,
        in_context=True,
    ),
    *(
        _pane(
            f"view.solo_{n}",
            f"Only pane {n}",
            "View/Panes",
            (str(n),),
            "Show only this pane; press again to show all",
        )
        for n in range(1, 7)
    ),
    _pane("view.add_pane", "Add pane", "View/Panes", ("Ctrl+T",), group=1),
    _pane(
        "view.lens",
        "Look through a lens",
        "View/Panes",
        ("Shift+L",),
        "Show the image through a filter that reveals traces of editing, in a separate pane",
        checkable=True,
        group=1,
    ),
    _pane("view.remove_pane", "Remove active pane", "View/Panes", group=1),
    _pane(
        "view.reset_panes",
        "Reset panes",
        "View/Panes",
        (),
        "Show probe, reference, system and comparison",
        group=1,
    ),
    Command(
        "view.next_example",
        "Next known example",
        "View/Panes",
        ("Ctrl+Alt+.",),
        "Show another image known to come from the camera or event in question",
        _PICTURE | Need.GALLERY,
        Scope.STILLS,
        group=1,
    ),
    Command(
        "view.previous_example",
        "Previous known example",
        "View/Panes",
        ("Ctrl+Alt+,",),
        "Show the previous known image",
        _PICTURE | Need.GALLERY,
        Scope.STILLS,
        group=1,
    ),
    *(
        _pane(
            f"view.columns_{n}",
            "Fit columns automatically" if n == 0 else f"{n} column" + ("s" if n > 1 else ""),
            "View/Panes",
            checkable=True,
            group=2,
        )
        for n in range(5)
    ),
    *(
        _pane(
            f"view.cursor_{name}{suffix}",
            f"Cursor {name}{by}",
            "View/Cursor",
            (f"Alt+{keys[name]}",),
            "Move the pixel cursor with the keyboard; the inspector strip shows the values",
            group=group,
        )
        for group, (suffix, by, keys) in enumerate(
            (("", "", _ARROW_KEYS), ("_10", " by ten", _LEAP_KEYS))
        )
        for name in CURSOR_STEPS
    ),
    _pane(
        "view.overlays",
        "Overlays",
        "View",
        ("H",),
        "Show or hide all overlays on the probe; hold the key to hide them temporarily",
        checkable=True,
        is_momentary=True,
        group=1,
        icon="layers",
        on_toolbar=True,
    ),
    _pane("view.contour", "Contours instead of areas", "View", ("C",), checkable=True, group=1),
    _picture(
        "view.marks",
        "Reference over the probe",
        "View",
        ("K",),
        "Draw the areas of the operations, or their contours, over the probe",
        checkable=True,
        group=1,
    ),
    _pane(
        "view.no_score",
        "No-score zones",
        "View",
        ("Z",),
        "Show or hide pixels that are not scored",
        checkable=True,
        group=1,
    ),
    _pane("view.hatching", "Hatch no-score zones", "View", checkable=True, group=1),
    _pane("view.opacity_up", "More overlay", "View", ("Ctrl+Up",), group=1),
    _pane("view.opacity_down", "Less overlay", "View", ("Ctrl+Down",), group=1),
    *(
        Command(
            f"view.palette_{palette.name.lower()}",
            palette.value,
            "View/Palette",
            help="Colours of hits, misses and false alarms",
            checkable=True,
            needs=Need.PANES,
        )
        for palette in PaletteName
    ),
    *(
        Command(
            f"view.system_{style.value}",
            style.value.capitalize(),
            "View/System mask",
            help="Choose how the system mask is drawn",
            checkable=True,
            needs=Need.PANES,
        )
        for style in SystemStyle
    ),
    _pane(
        "view.system_style",
        "Next style",
        "View/System mask",
        ("G",),
        "Switch between grey, heat map and thresholded",
        group=1,
    ),
    _pane("view.minimap", "Minimap", "View", checkable=True, group=2),
    _pane("view.crosshair", "Crosshair", "View", checkable=True, group=2),
    _pane("view.pixel_grid", "Pixel grid", "View", checkable=True, group=2),
    *(
        Command(
            f"layout.{name.lower()}", name, "View/Layout", (f"Ctrl+F{n}",), purpose, checkable=True
        )
        for n, (name, purpose) in enumerate(
            (
                ("Inspect", "Panes, trials, score and operations: inspect a score"),
                ("Annotate", "Large panes with operations and pixel values: check a reference"),
                ("Adjudicate", "Reference, system and verdicts: settle a dispute"),
                ("Video", "Player and timeline with score and problems"),
                ("Graph", "Provenance graph with trials and score"),
                (
                    "Detect",
                    "Image, curves and scores of systems: decide whether an image is AI-generated",
                ),
            ),
            start=1,
        )
    ),
    Command(
        "layout.reset",
        "Reset layout",
        "View/Layout",
        ("Ctrl+Shift+F1",),
        "Move all panels back to their default places",
        group=1,
    ),
    *(
        Command(
            f"panel.{name}",
            title,
            "View/Panels",
            help="Show or close this panel",
            needs=Need.DATASET,
            checkable=True,
        )
        for name, title in PANELS.items()
    ),
    Command("theme.system", "Follow the system", "View/Theme", checkable=True),
    Command("theme.light", "Light", "View/Theme", checkable=True),
    Command("theme.dark", "Dark", "View/Theme", checkable=True),
    Command("view.toolbar", "Toolbar", "View", checkable=True, group=3),
    Command("view.full_screen", "Full screen", "View", ("F11",), checkable=True, group=3),
)

THRESHOLD = (
    _scored("threshold.down", "Lower by 1", "Threshold", ("[",)),
    _scored("threshold.up", "Raise by 1", "Threshold", ("]",)),
    _scored("threshold.down_10", "Lower by 10", "Threshold", ("{",)),
    _scored("threshold.up_10", "Raise by 10", "Threshold", ("}",)),
    _scored(
        "threshold.optimum",
        "Snap to optimum",
        "Threshold",
        ("T",),
        "Use the threshold with the highest MCC of this trial",
        checkable=True,
        group=1,
    ),
    _scored(
        "threshold.maximum",
        "Snap to maximum",
        "Threshold",
        (),
        "Use the threshold with the highest mean MCC over all trials",
        checkable=True,
        group=1,
    ),
    _scored(
        "threshold.actual",
        "Snap to actual",
        "Threshold",
        (),
        "Use the threshold of the evaluation; you are asked for it the first time",
        checkable=True,
        group=1,
    ),
    _scored(
        "threshold.submission",
        "Snap to submission's",
        "Threshold",
        (),
        "Use the threshold the submission was made for; you are asked for it if the table "
        "does not state it",
        checkable=True,
        group=1,
    ),
    _scored(
        "threshold.cycle",
        "Next snap",
        "Threshold",
        ("\\",),
        "Switch between optimum, maximum, actual and the submission's threshold",
        group=1,
    ),
    _scored("threshold.set_actual", "Set actual threshold…", "Threshold", group=1),
    _scored("threshold.set_submission", "Set submission's threshold…", "Threshold", group=1),
    Command(
        "system.next",
        "Next submission",
        "Threshold",
        ("Ctrl+Tab",),
        "Show the next open submission",
        Need.RIVAL,
        group=2,
    ),
    Command(
        "system.rival",
        "Compare with next submission",
        "Threshold",
        (),
        "Show a second system with its own threshold",
        Need.RIVAL,
        checkable=True,
        group=2,
    ),
)

COMPARE = (
    _picture(
        "compare.blink",
        "Blink",
        "Compare",
        ("B",),
        "Switch between two layers in the active pane; hold the key to blink temporarily",
        checkable=True,
        is_momentary=True,
    ),
    _picture(
        "compare.swipe",
        "Swipe",
        "Compare",
        ("S",),
        "Show one layer on the left and one on the right of a movable edge",
        checkable=True,
    ),
    _picture(
        "compare.lens",
        "Reveal lens",
        "Compare",
        ("M",),
        "Show the second layer in a circle around the cursor",
        checkable=True,
    ),
    _picture("compare.fade", "Fade", "Compare", ("X",), "Mix two layers", checkable=True),
    _picture("compare.off", "Stop comparing", "Compare", ("Escape",)),
    *(
        _picture(
            f"compare.with_{n}",
            f"Compare with pane {n}",
            "Compare/Compare with",
            (f"Shift+{n}",),
            "Use the layer of that pane as the second layer of the active pane",
        )
        for n in range(1, 7)
    ),
    _picture("compare.more", "More of the second layer", "Compare", ("Shift+Right",), group=1),
    _picture("compare.less", "Less of the second layer", "Compare", ("Shift+Left",), group=1),
)

VIDEO = (
    _video("video.play", "Play or pause", "Video", ("Space",)),
    _video("video.frame_back", "Previous frame", "Video", (",", "Left")),
    _video("video.frame_forward", "Next frame", "Video", (".", "Right")),
    _video("video.second_back", "One second back", "Video", ("PgUp",)),
    _video("video.second_forward", "One second forward", "Video", ("PgDown",)),
    _video("video.first", "First frame", "Video", ("Home",), group=1),
    _video("video.last", "Last frame", "Video", ("End",), group=1),
    _video("video.backward", "Play backward, faster each time", "Video", ("J",), group=2),
    _video("video.pause", "Pause", "Video", ("K",), group=2),
    _video("video.forward", "Play forward, faster each time", "Video", ("L",), group=2),
    _video("video.loop", "Loop between marks", "Video", ("R",), checkable=True, group=2),
    _video("video.mark_in", "Mark start", "Video", ("I",), group=3, in_context=True),
    _video("video.mark_out", "Mark end", "Video", ("O",), group=3, in_context=True),
    _video("video.clear_marks", "Clear marks", "Video", ("U",), group=3, in_context=True),
    _video(
        "video.next_error",
        "Next error interval",
        "Video",
        ("E",),
        "Go to the next miss or false alarm",
        group=4,
    ),
    _video("video.previous_error", "Previous error interval", "Video", ("Shift+E",), group=4),
    _video("video.go_to", "Go to frame…", "Video", ("Ctrl+G",), group=4),
    _video("video.zoom_in", "Zoom timeline in", "Video", ("+", "="), group=5),
    _video("video.zoom_out", "Zoom timeline out", "Video", ("-",), group=5),
    _video("video.zoom_all", "Show the whole timeline", "Video", ("0",), group=5, in_context=True),
    _video("video.sound", "Play with sound", "Video", ("M",), checkable=True, group=6),
    _video("video.best_threshold", "Best threshold of the marked interval", "Video", group=6),
    _video("video.contact_sheet", "Export contact sheet…", "Video", group=7),
    _video("video.annotated_frame", "Export annotated frame…", "Video", group=7, in_context=True),
)

GRAPH = (
    _graph("graph.fit", "Fit graph", "Graph", ("F", "Ctrl+9")),
    _graph("graph.zoom_in", "Zoom in", "Graph", ("+", "=")),
    _graph("graph.zoom_out", "Zoom out", "Graph", ("-",)),
    _graph("graph.probe", "Go to probe", "Graph", ("Home",)),
    _graph(
        "graph.next_error",
        "Next difference",
        "Graph",
        ("E",),
        "Go to the next missing image or link, or false alarm",
        group=1,
    ),
    _graph("graph.previous_error", "Previous difference", "Graph", ("Shift+E",), group=1),
    _graph("graph.only_errors", "Only differences", "Graph", ("H",), checkable=True, group=1),
    _graph(
        "graph.undirected",
        "Undirected",
        "Graph",
        ("D",),
        "Count a link as found in either direction",
        checkable=True,
        group=2,
    ),
    _graph(
        "graph.direct",
        "Direct condition",
        "Graph",
        ("Shift+D",),
        "Score only ancestors and descendants of the probe",
        checkable=True,
        group=2,
    ),
    _graph(
        "graph.find", "Find image", "Graph", ("/",), "Find an image by part of its name", group=3
    ),
    _graph(
        "graph.neighbours",
        "Neighbourhood only",
        "Graph",
        ("Shift+B",),
        "Dim everything that is not linked to the selection",
        checkable=True,
        group=3,
    ),
    _graph(
        "graph.path",
        "Path to probe only",
        "Graph",
        ("Shift+P",),
        "Dim everything except the path from the selection to the probe",
        checkable=True,
        group=3,
    ),
    _graph(
        "graph.fold",
        "Fold donors",
        "Graph",
        ("Shift+F",),
        "Hide the donors of every image",
        checkable=True,
        group=3,
    ),
    _graph(
        "graph.journal",
        "Show whole journal",
        "Graph",
        ("Shift+J",),
        "Draw the images of the journal outside the world set, which are not scored",
        checkable=True,
        group=3,
    ),
    _graph(
        "graph.force",
        "Force layout",
        "Graph",
        ("Shift+L",),
        "Arrange linked images by attraction instead of in layers",
        checkable=True,
        group=3,
    ),
    _graph(
        "graph.blink",
        "Blink",
        "Graph/Compare images",
        ("B",),
        "Show the two images in turn; hold the key to blink temporarily",
        checkable=True,
        is_momentary=True,
    ),
    _graph(
        "graph.swipe",
        "Swipe",
        "Graph/Compare images",
        ("S",),
        "Show one image on the left and one on the right of an edge that follows the mouse",
        checkable=True,
    ),
    _graph(
        "graph.lens",
        "Reveal lens",
        "Graph/Compare images",
        ("M",),
        "Show the second image in a circle around the mouse",
        checkable=True,
    ),
    _graph("graph.fade", "Fade", "Graph/Compare images", ("X",), "Mix both images", checkable=True),
    _graph(
        "graph.maximise",
        "Maximise image",
        "Graph/Compare images",
        ("Ctrl+M",),
        "Show only the active image, or both again; a double-click does the same",
        group=1,
    ),
    _graph(
        "graph.mask",
        "Mask of the operation",
        "Graph/Compare images",
        ("K",),
        "Show where the step of a link was applied, if the journal or reference records it",
        group=1,
    ),
    _graph(
        "graph.contour",
        "Contours instead of areas",
        "Graph/Compare images",
        ("C",),
        group=1,
    ),
    _graph(
        "graph.export",
        "Export graph…",
        "Graph",
        (),
        "Save the graph as SVG, PNG, PDF, GraphML or CSV",
        group=4,
    ),
)
