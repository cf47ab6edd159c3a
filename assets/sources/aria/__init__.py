"""Files that every Aria recording has."""
