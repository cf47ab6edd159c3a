"""Questions of EgoProx."""
