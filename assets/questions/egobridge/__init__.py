"""Questions of EgoBridge."""
