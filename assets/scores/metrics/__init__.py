"""Metrics of EgoBridge's tasks, each in two readings.

`mode="paper"` (the default everywhere) is the definition without the released code's quirks; an empty
denominator gives None. `mode="parity"` gives what the released evaluators give, quirks included; where
they crash or return NaN it raises `UndefinedMetric` (with the official outcome in `.official`) or
returns NaN. `docs/metrics.md` maps each official evaluator to a function here.
"""

from expectations.schemas.metrics import MODES, Mode, UndefinedMetric

__all__ = ["MODES", "Mode", "UndefinedMetric"]
