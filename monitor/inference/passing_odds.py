"""The price list of the Charleston: what each step of a reading costs, and each second in which nothing comes.

Owns these numbers and nothing else; `passing` says what they are prices of. They are our choice, in logarithms, from
what people do (procedure; research notes): about two sorts of one to four tiles for each pass that a seat gives,
courtesies after six hands in ten, a tile lifted for about a second.
"""

P_WHOLE = -1.2
"""Three tiles given at once."""
P_PART = -2.3
"""One or two given and the rest to follow."""
P_REST = -0.3
"""The rest of them."""
P_ONE_TOO_MANY = -5.0
"""A fourth tile given."""
P_LIFT = -2.0
"""Tiles lifted to be sorted; each beyond the fourth costs `P_LIFT_MORE`."""
P_LIFT_MORE = -0.5
P_AHEAD = -3.0
"""A pass is begun while somebody has not given in the pass before."""
P_HELD = -0.7
"""Lifted tiles are given and not put back."""
P_BACK = -0.1
P_PART_BACK = -0.7
P_RACKED = -0.2
P_PART_RACKED = -0.9
P_BLIND = -1.7
P_EXCHANGED = -3.0
"""A seat gave and racked within one touch of its rack, which so rests as before."""
P_SECOND = -0.4
P_COURTESY = (-2.0, -1.0)
"""A courtesy at once after the first Charleston, or after the second."""
P_COURTESY_N = -1.4
"""One, two or three tiles in it."""
P_MISCOUNTED = -4.0
"""A courtesy after what was read as the last pass: one of those before was read twice."""
P_ANEW, P_ANEW_RESTING = -5.0, -2.5
"""All tiles are on the racks, or rest there, and it is not known how: a pass was given that was read otherwise."""
P_ANEW_UNREAD = -1.5
"""For each seat that gave nothing in it."""
P_UNEXPLAINED = -6.0
P_UNEXPLAINED_TILE = -2.0
P_MISSING_TAKEN = -3.0
"""A tile missing since the deal is taken from the wall."""

P_PLAY = {3: -2.0, 6: -1.0}
"""East's first discard, after so many passes and no courtesy."""
P_PLAY_COURTESY = -0.3
P_PLAY_EARLY = -9.0
"""Before the first Charleston, which is compulsory, is over as far as this reading knows."""
P_WHILE_RACKED = -1.5
"""East discards before all have racked what they were passed, or their racks rest later than East's."""
P_PICK = -0.3
P_UNSEEN_TURN = -1.2
"""A turn whose pick was thrown on without touching the rack."""
P_CLAIM = -2.5
P_DISCARD = -0.2
P_DISCARD_FIRST = -2.0

AWAY_S = 2.0
"""Lifted tiles that are still away cost one in so many seconds, and in `LONG_AWAY_S` once they are away for
`SORTED_S`, up to `LEFT_S`: then a tag has fallen silent, or a player holds tiles for good."""
SORTED_S, LONG_AWAY_S, LEFT_S = 3.2, 0.5, 10.0
PART_S = 2.5
"""A seat that has given one or two tiles soon gives the rest."""
OPPOSITE_S = 2.5
"""In a courtesy the opposite seat gives too."""
RACKS_S = 6.0
"""What was given is soon racked."""
GIVES_S = 10.0
"""Who has not given in a pass that others have begun does so."""
BETWEEN_S = 8.0
"""The next pass begins."""
TURN_S, HOLDING_S = 8.0, 9.0
"""The next player picks; who has picked discards."""
