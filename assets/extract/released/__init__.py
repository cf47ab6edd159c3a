"""How the published evaluators read replies, mistakes included: for `parity` scores only.

Each module states what its evaluator does, from the released code (EgoExoBench 94fee96, EgoCross
f81f41d, EgoProx 0dde2b2). Our own readings are in the modules beside this folder.
"""
