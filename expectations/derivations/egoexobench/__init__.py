"""Derivations of EgoExoBench, one module per subtask."""
