"""Questions: one folder per benchmark."""
