"""The static HTML report of each benchmark."""
