"""The central types (predictions, labels, rankings, losses), and what all rooms share: votes, strata, draws, the cache.

Imports nothing but `adjudge.errors`.
"""
