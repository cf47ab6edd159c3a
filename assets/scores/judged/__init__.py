"""Scores that rest on judges, with what is known of the judges beside them."""
