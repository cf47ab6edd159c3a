"""Whether two wordings mean the same, and by which step that was found."""
