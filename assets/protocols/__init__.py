"""How models are asked about questions: declared protocols, the frames they send, the prompts."""
