"""`parallax run`: compare with the ledger, launch what differs."""
