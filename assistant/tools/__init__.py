"""Tools that the model may call, and the registry that describes and runs them.

A tool is a typed Python function and a description written for the model:

    from assistant.tools import tool

    @tool(description="How many pieces of an article are in stock, by sku.", max_age="1d")
    def get_stock(sku: str) -> str:
        return f"{count(sku)} pieces of {sku} are in stock."
"""

from assistant.tools.definition import RunContext, Tool, ToolFailed, ToolResult, tool
from assistant.tools.registry import ToolRegistry

__all__ = ["RunContext", "Tool", "ToolFailed", "ToolRegistry", "ToolResult", "tool"]
