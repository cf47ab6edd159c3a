"""The right answer of each subtask, derived from source tables by code that shares nothing with its builder."""
