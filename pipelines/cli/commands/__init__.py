"""What each command takes and prints; the work is done by the modules beside this folder."""
