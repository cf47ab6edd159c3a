"""Answers read from replies."""
