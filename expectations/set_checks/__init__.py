"""Checks of whole sets of questions and tasks: what no single item shows."""
