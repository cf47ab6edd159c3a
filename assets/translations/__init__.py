"""Narrations written in another language, in English."""
