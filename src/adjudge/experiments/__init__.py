"""Experiments: tasks x methods x budgets x repetitions, run in parallel, kept in files, shown as tables and figures."""
