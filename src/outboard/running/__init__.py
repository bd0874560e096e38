"""Starts jobs where they should run, watches them, carries them on, and learns from them."""
