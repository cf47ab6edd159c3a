"""Derivations of EgoCoT-Bench, one module per subtask."""
