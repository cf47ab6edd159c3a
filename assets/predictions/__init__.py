"""Requests, replies and the answers read from them."""
