"""Derivations of EgoProx, one module per subtask."""
