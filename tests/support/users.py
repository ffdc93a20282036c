"""Passwords of people."""

ADA, BOB, EVE = "the password of ada", "the password of bob", "the password of eve"
