"""From typed messages to observations of racks and floor, each with bounds. Knows nothing of turns or rules."""
