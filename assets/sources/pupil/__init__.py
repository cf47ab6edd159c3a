"""Files that every Pupil Invisible or Neon recording has."""
