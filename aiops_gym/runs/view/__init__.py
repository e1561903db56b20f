"""Episodes as pages of HTML for people: pure functions from what was kept to text."""

from aiops_gym.runs.view.line import Entry, read_entry
from aiops_gym.runs.view.listing import render_listing
from aiops_gym.runs.view.page import render_page

__all__ = ["Entry", "read_entry", "render_listing", "render_page"]
