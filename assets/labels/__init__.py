"""Verbs and nouns of narrations."""
