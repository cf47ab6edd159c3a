"""Leakage: what two splits of a source share, over everything that is split."""
