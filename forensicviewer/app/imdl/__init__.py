"""Scores predictions of manipulated regions as IMDL-BenCo and its peers do."""
