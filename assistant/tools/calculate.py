"""The tool that calculates: arithmetic read as Python's syntax tree, checked and bounded."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field

from assistant.tools.definition import RunContext, Tool, ToolFailed, tool
from assistant.tools.when import asks_for_arithmetic

LONGEST = 500
"""Characters of an expression."""
LARGEST_BITS = 4096
"""Bits of the largest whole number that may come up on the way."""

Number = int | float


def _divide(one: Number, other: Number) -> Number:
    return one / other


def _divide_whole(one: Number, other: Number) -> Number:
    return one // other


_BINARY: dict[type[ast.operator], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _divide,
    ast.FloorDiv: _divide_whole,
    ast.Mod: operator.mod,
}
_UNARY: dict[type[ast.unaryop], Callable[..., Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "round": round,
    "min": min,
    "max": max,
    "sqrt": math.sqrt,
    "floor": math.floor,
    "ceil": math.ceil,
    "log": math.log,
    "log10": math.log10,
    "exp": math.exp,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
}
_CONSTANTS = {"pi": math.pi, "e": math.e}
_SIGNS = str.maketrans(
    {
        "×": "*",
        "÷": "/",
        "−": "-",
        "–": "-",
        "（": "(",
        "）": ")",
        "，": ",",
        "＋": "+",
        "－": "-",
        "＊": "*",
        "／": "/",
        "。": ".",
        "^": "\u0000",
    }
)
_THOUSANDS = re.compile(r"(?<![\d.])(\d{1,3}(?:,\d{3})+)(?![\d,])")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%(?!\s*[\d(.])")


@tool(
    description="Works out arithmetic exactly: + - * / // % **, brackets, sqrt, round, min, max …",
    when=asks_for_arithmetic,
)
def calculate(
    run: RunContext,
    expression: Annotated[str, Field(description="only the arithmetic, such as (2 + 3) * 4")],
) -> str:
    """Work out an arithmetic expression and say the result in a sentence."""
    shown = " ".join(expression.split())
    result = _shown(evaluate(expression))
    return f"{shown} = {result}" + ("。" if run.language == "zh" else ".")


def evaluate(expression: str) -> Number:
    """Return the value of an arithmetic expression.

    Raises:
        ToolFailed: it is no arithmetic, or its value would be out of bounds.
    """
    if len(expression) > LONGEST:
        raise ToolFailed(f"The expression has {len(expression)} characters; {LONGEST} are allowed.")
    try:
        tree = ast.parse(_as_python(expression), mode="eval")
        return _value(tree.body)
    except (SyntaxError, MemoryError, RecursionError):
        raise ToolFailed(f"{expression!r} is no arithmetic expression.") from None
    except ZeroDivisionError:
        raise ToolFailed(f"{expression!r} divides by zero.") from None
    except OverflowError:
        raise ToolFailed(f"{expression!r} is too large to work out.") from None
    except (ValueError, TypeError) as error:
        raise ToolFailed(f"{expression!r} cannot be worked out: {error}.") from None


def _as_python(expression: str) -> str:
    text = expression.translate(_SIGNS).replace("\u0000", "**").strip().rstrip("=?？ ")
    text = _THOUSANDS.sub(lambda match: match[1].replace(",", ""), text)
    text = re.sub(r"%\s*(?:of|的)\s*", "/100*", text)
    text = _PERCENT.sub(r"(\1/100)", text)
    return re.sub(r"(?<=[\d)])\s*[xX]\s*(?=[\d(])", "*", text)


def _value(node: ast.expr) -> Number:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return _bounded(value)
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
            return _UNARY[type(op)](_value(operand))
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_value(left), _value(right))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _bounded(_BINARY[type(op)](_value(left), _value(right)))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            return _bounded(_FUNCTIONS[name](*[_value(arg) for arg in args]))
        case _:
            raise ToolFailed(
                f"{ast.unparse(node)[:80]!r} is not allowed here: only numbers, + - * / // % **,"
                f" brackets and {', '.join(_FUNCTIONS)}."
            )


def _power(base: Number, exponent: Number) -> Number:
    whole = isinstance(base, int) and isinstance(exponent, int) and abs(base) > 1
    if whole and int(base).bit_length() * max(exponent, 0) > LARGEST_BITS:
        raise OverflowError
    result = base**exponent
    if isinstance(result, complex):
        raise ToolFailed(f"{base} ** {exponent} is no real number.")
    return _bounded(result)


def _bounded(value: Number) -> Number:
    if isinstance(value, int) and value.bit_length() > LARGEST_BITS:
        raise OverflowError
    if isinstance(value, float) and not math.isfinite(value):
        raise OverflowError
    return value


def _shown(value: Number) -> str:
    if isinstance(value, int):
        return str(value)
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.12g}"


TOOLS: tuple[Tool, ...] = (calculate,)
