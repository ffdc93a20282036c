"""Of these many models, which is best on my data, and how sure am I? With few labels, or none.

>>> import adjudge
>>> pool = adjudge.from_frame({"sample_id": ["a", "b", "c"], "net": ["cat", "dog", "cat"],
...                            "tree": ["cat", "dog", "dog"], "rule": ["cat", "cat", "cat"]})
>>> adjudge.rank(pool)
Answer by agreement, 0 labels
  rank  model  value
     1  net    1.000
     2  tree   0.667
     2  rule   0.667
"""
