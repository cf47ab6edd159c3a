"""Ego and exo segments that show the same action."""
