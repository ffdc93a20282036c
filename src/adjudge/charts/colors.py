"""The colors of all charts."""

# Okabe and Ito's colors, which people with color-vision deficiencies can tell apart
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442"]
# colors like these, light enough for a dark page and dark enough for a white one
LINES = ["#2b87c8", "#d9660a", "#0f9d76", "#c9709f", "#b98900"]
LIKELY, DRAWN, TRUE, QUIET = *LINES[:3], "#8a939d"
