"""What every builder of questions shares: recipe, rows, identity, clips, names, directions."""
