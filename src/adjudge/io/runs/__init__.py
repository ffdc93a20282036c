"""Logs of tools that evaluate language models: a reader for each, and one table from several runs."""
