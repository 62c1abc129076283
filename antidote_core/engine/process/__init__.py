"""Processes of the engine: who starts them, what they do, how they are limited and ended."""
