"""Experiments with the whole assistant: context, evaluations over models, a simulated learner."""
