"""Reminders and scheduled jobs, each taking effect once."""
