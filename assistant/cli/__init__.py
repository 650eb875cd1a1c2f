"""The command line: `assistant`."""
