"""How near to the truth the monitor comes: simulated hands, judged by the referee's log. `make bench-accuracy`.

    scenarios    which hands are played, and how each is played again by itself
    watching     one of them through the monitor, and through the naive `baseline`
    crew         many of them, in some processes
    standing     events and alerts as they stand in the end
    matching     what was told beside what happened
    scoring      one hand's figures: `counting` quiet seconds, `rulings`, `reliability` of confidence
    results      figures of all hands on disk, a line a hand; a stopped run goes on where it was
    deciding     how soon single sensors decide, beside how soon anything could have: `wald`
    figures      a tier's figures from its hands
    compare      two runs, figure by figure
    table, page  what people read: a table in the terminal, and one HTML page with plots (`svg`)

Scores as the project's handed cases are scored. Seeds are from 50,000; tests use none so high.
"""
