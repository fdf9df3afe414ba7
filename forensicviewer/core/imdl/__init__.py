"""IMDL-BenCo's metrics, and those of the scorers its users compare with."""
