"""From a node's bytes to typed messages in host time. Knows nothing of tiles, hands or rules."""
