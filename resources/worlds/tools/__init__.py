"""What all simulated worlds share: repeatable choice, encoding, worker processes."""
