"""Scores by the rules of other readers: published extractors, and language models."""
