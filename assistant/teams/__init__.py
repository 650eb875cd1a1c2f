"""Several agents at one task: planner-executor, pipeline, coordinator."""
