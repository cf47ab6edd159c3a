"""Prompts made ready, asked, and kept: each is bought once."""
