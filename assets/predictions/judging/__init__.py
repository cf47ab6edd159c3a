"""Judges: models that decide whether an answer in words is right, and how good a reasoning is."""
