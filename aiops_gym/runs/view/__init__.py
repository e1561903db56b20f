"""Episodes as pages of HTML for people: pure functions from what was kept to text."""

from aiops_gym.runs.view.line import Entry, entry
from aiops_gym.runs.view.listing import listing
from aiops_gym.runs.view.page import page

__all__ = ["Entry", "entry", "listing", "page"]
