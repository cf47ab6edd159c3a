"""Engines that answer in this process or in one of their own, and people."""
