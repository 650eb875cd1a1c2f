"""Evaluation suites: cases, runs, reports."""
