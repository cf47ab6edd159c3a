"""Metrics, intervals and the page."""
