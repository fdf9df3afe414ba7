"""The domain: what trials, masks and scores are, without files, threads or windows."""
