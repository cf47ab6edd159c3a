"""Derivations of EgoExoBench's search for duplicate videos."""
