"""Runs and sweeps as pages meet them: settings, starting, watching, documents."""
