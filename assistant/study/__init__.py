"""The study companion: catalogue, plans, check-ins, progress, adjustments."""
