"""EgoCross: questions about professional domains."""
