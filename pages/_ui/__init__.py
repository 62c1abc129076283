"""What pages share: settings bound to the URL, cached loaders, charts with their tables."""
