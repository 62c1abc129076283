"""What pages are made of: the blocks of each page, and what they share."""
