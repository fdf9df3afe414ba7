"""The video under review: frames, lanes, playback, sound."""
