"""Skill: from votes on pairs to pairs that hold, the order they make, chains and triplets."""
