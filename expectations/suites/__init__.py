"""Expectation suites: what a table's distributions, rates and counts should look like, and why.

A contract says what one row may hold and refuses it; a suite says what many rows together should
look like and refuses nothing. One module per table declares its `SUITE`; `run` judges it.
"""

from expectations.suites.core import Expectation, Outcome, Suite, SuiteError, View
from expectations.suites.frames import SUITE as FRAMES
from expectations.suites.judging import run_suite
from expectations.suites.labels import SUITE as LABELS
from expectations.suites.questions import SUITE as QUESTIONS

SUITES: dict[str, Suite] = {suite.table: suite for suite in (FRAMES, LABELS, QUESTIONS)}

__all__ = ["SUITES", "Expectation", "Outcome", "Suite", "SuiteError", "View", "run_suite"]
