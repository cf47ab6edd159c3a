"""Steps of a benchmark that ask a language model: what is asked, how replies are read, what follows.

A benchmark declares its steps in modules of its folder, as `STEPS`: steps that write words of questions
(`WritingStep`), that reword templates (`ExpandingStep`) and that judge questions (`CheckingStep`).
Which model is asked is configured.
"""
