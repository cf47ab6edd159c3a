"""Dagster asset checks of what is stored."""
