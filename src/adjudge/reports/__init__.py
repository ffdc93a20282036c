"""What people look at: tables for the terminal, charts, and one self-contained page."""
