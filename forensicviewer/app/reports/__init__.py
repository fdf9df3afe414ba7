"""Reports to hand over: one model of what was measured and judged, written as a page or as PDF."""
