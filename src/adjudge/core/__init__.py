"""The central types (predictions, labels, rankings), and what all share: votes, strata, draws, the cache.

Imports only `adjudge.errors` and `adjudge.charts`.
"""
