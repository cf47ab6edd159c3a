"""Scene graphs, calibrations and measured facts about space."""
