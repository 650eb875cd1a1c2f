"""How calls and answers are written and read: native tools, response schema, text."""
