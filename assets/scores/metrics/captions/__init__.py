"""Caption metrics: tokens, BLEU, ROUGE-L and CIDEr in Python; METEOR is `resources.meteor`."""
