"""Keysteps: in which order they are done, and where."""
