"""Engines that ask a server over HTTP, and how they deal with it."""
