"""Template expansion: a model rewords templates, rules refuse, people accept, questions follow (EgoCross C4)."""
