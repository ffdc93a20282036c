"""Shift, made on purpose: corrupted images, texts and tables, other shares of the classes; seeded and repeatable."""

from adjudge.corruptions.images import IMAGES, MUTATIONS, SEVERITIES, STUDY, corrupt

__all__ = ["IMAGES", "MUTATIONS", "SEVERITIES", "STUDY", "corrupt"]
