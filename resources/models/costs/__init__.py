"""Tokens, money and time of calls: before, within a budget, and after."""
