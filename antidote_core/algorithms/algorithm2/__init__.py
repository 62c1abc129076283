"""Algorithm 2: the growing loop, its search, its checks, and how real V looks."""
