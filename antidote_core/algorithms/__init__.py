"""Algorithm 2 (grow) as a generator of events, its record and its verification."""
