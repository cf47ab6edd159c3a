"""Video time, and gaze on it."""
