"""Pictures of a hand as SVG, for paper and for pages alike: elements, the scale of time, marks, and a row a seat.

Refuses to know logs, pages and reports: they ask here, each for its own stretch of time.
"""
