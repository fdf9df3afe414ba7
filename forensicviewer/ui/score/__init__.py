"""Panels about numbers: threshold, metrics, legend, operations, detection."""
