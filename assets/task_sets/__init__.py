"""Sets of tasks that ask no question: one module per task, found by its `TASK_SET`."""
