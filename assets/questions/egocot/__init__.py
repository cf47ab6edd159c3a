"""Questions of EgoCoT-Bench."""
