"""Everywhere a job could run: what the person owns, could buy, could rent or may use."""

from outboard.planner.candidates.base import Candidate
from outboard.planner.candidates.gather import gather

__all__ = ["Candidate", "gather"]
