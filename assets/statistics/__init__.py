"""What a source holds, in numbers: lengths, words, hands, captions, gaze."""
