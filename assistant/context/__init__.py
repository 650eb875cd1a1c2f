"""The token-budget manager: what a request holds, bounded, ordered and explained."""
