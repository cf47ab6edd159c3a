"""What is made from what: one folder per stage."""
