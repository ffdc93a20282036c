"""The methods: which sample to label next, and in which order models stand."""
