"""What must hold: schemas, contracts, checks."""
