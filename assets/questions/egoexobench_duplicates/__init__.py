"""EgoExoBench's preliminary study: can a model tell several videos apart?"""
