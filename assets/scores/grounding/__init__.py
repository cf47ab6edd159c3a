"""Evidence grounding: whether what replies cite is what their questions' evidence says (EgoCoT-Bench)."""
