"""The outside world: tables, files, video, models, simulated worlds."""
