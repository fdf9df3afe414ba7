"""What a GenAI evaluation shows: curves, calibration, generators, versions and the worst images."""
