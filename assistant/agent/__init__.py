"""The ReAct loop, its protocols and its guards."""
