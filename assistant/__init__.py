"""A memory-augmented personal assistant."""
