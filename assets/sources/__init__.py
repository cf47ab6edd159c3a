"""From raw layouts to canonical rows."""
