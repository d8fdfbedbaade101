"""Reports on paper: one incident for a referee, one evening for a director.

Theory of operation. A report is made of a log alone, so the same log gives the same bytes, whoever asks and when:

    log ── incident, session ── what happened, as numbers
              │
              ├── timeline, evening_plot, rule_plot ── pictures (SVG)
              └── incident_page, session_page ── a page: words and pictures, nothing left to decide
                        │
                        └── paper ─┬─ one HTML file
                                   └─ session_parts ── PDF, by `monitor.typesetting`

Events stand as `monitor.standing` follows them, without identities, and hands are counted by `monitor.tally`; `when`
tells moments to people; `drawing` writes SVG. Reports are the director's, as counts are. They never declare a hand
dead: what a person declared is told as that.
"""
