"""How much harder a benchmark is than questions about daily life, of the same kinds."""
