"""Derivations of EgoBridge, one module per subtask."""
