"""What pages are made of: the blocks of each page, and what they share."""

from antidote_core.plugins import load_plugins

load_plugins()  # before any list of clusterings and costs is made
