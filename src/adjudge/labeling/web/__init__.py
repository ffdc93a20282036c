"""The labeling page: one process, one project, people in their browsers."""
