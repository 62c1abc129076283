"""What every page uses: the frame, links, settings, charts, who is there."""
