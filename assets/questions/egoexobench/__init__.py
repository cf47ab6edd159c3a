"""Questions of EgoExoBench."""
