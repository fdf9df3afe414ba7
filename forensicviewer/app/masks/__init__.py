"""Scores masks of images and videos: MCC, NMM, thresholds."""
