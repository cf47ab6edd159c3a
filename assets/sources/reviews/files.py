"""Which files hold decisions of people."""

FILES = r"(?:.+/)?[^/]+\.(?:csv|json)"
