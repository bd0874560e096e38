"""Frozen data that the rest of Outboard passes around. No logic beyond checking itself."""
