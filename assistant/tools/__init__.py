"""Tools that the model may call, and the registry that describes and runs them."""
