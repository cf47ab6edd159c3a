"""What people decided: how it stands, what it changed, and what is left to decide."""
