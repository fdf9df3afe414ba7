"""The page of video trials: timeline, lanes, transport."""
