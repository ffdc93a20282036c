"""adjudge"""
