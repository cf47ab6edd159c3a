"""vLLM in an environment of its own: a script that runs there, and the engine that feeds it."""
