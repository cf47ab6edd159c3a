"""The household: tasks at a table, seen by a wearer and by cameras, in EgoExoLearn's layout."""
