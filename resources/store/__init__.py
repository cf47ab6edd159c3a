"""The table store: Delta tables, the ledger of units, locks and code versions."""
