"""Shift, made on purpose: corrupted images, texts and tables, other shares of the classes; seeded and repeatable."""

from adjudge.models.corruptions.images import IMAGES, MUTATIONS, SEVERITIES, STUDY, corrupt
from adjudge.models.corruptions.labels import label_shift, swapped
from adjudge.models.corruptions.shifted import shifted

__all__ = ["IMAGES", "MUTATIONS", "SEVERITIES", "STUDY", "corrupt", "label_shift", "shifted", "swapped"]
