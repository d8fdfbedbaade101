"""From observations to game events, rulings and what people see."""
