"""Derivations of EgoCross, one module per subtask."""
