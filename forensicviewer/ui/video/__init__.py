"""The page of video trials."""
