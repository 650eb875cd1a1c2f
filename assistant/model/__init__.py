"""The seam to a language model (`chat_model`), the openai client behind it, the local model."""
