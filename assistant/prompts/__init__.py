"""Prompt templates, English and Chinese."""
