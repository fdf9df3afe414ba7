"""Scores detection: ROC, AUC, confidence intervals."""
