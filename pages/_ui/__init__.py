"""What pages are made of: a folder per page, and what they share."""
