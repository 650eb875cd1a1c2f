"""Three ways to have a model call tools, over one loop: `tools`, `schema` and `text`."""
