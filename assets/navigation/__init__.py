"""Where a person can walk among the things of a room, and how to get from here to there."""
