"""Suspects of clean datasets that are faults all the same: each was looked at as an image.

``forensicviewer qa DATASET --out DIR`` shows them; the words say what is seen there.
"""

from __future__ import annotations

_DUPLICATE = "two rows name the same bytes"
_THIRD = "43e1d6f0a9306a629a51062729549d76"
_HOLED = "3c3a485663bf37ed1e26678908be81fb+866d1f4f68e89f9c3060ba3c5eb329ee"

# By dataset: task, trial and rule.
LOOKED_AT: dict[str, dict[tuple[str, str, str], str]] = {
    "suite": {
        ("removal", "boatfill", "unreadable"): "the reference names a mask that is not there",
        ("manipulation:MFC18", "smallmanip", "unreadable"): "a target without a mask",
        ("manipulation:MFC18", "smallmanip", "journal"): "its journal has no row",
        ("splice:NC2016", "gullflower+flower", "duplicate"): _DUPLICATE,
        ("splice:NC2016", "gullflower2+flower2", "duplicate"): _DUPLICATE,
        ("manipulation:NC2017", _THIRD, "duplicate"): _DUPLICATE,
        ("manipulation:NC2017", f"{_THIRD}-2", "duplicate"): _DUPLICATE,
        ("manipulation:NC2017", f"{_THIRD}-3", "duplicate"): _DUPLICATE,
        ("splice:NC2017", _HOLED, "holes"): "the car is riddled with white pixels",
        (
            "manipulation:NC2017",
            "07e65ca7be451f9fc756e9cc7a458eb6",
            "specks",
        ): "red crumbs lie scattered over the road",
        (
            "manipulation:NC2017",
            "07e65ca7be451f9fc756e9cc7a458eb6",
            "holes",
        ): "the crumbs have holes of one pixel",
        ("splice:NC2017", "smallmanip+less_smallmanip", "torn"): "a pattern of stripes",
        ("splice:NC2017", "boatfill+boatfill", "no-change"): "probe and base do not differ",
        ("splice:NC2017", "boatfill+boatfill", "pixel-size"): "a small spot is called large",
        ("manipulation:NC2016", "morelight", "declared-size"): "the probe is twice as large",
    }
}
