"""What one explanation of a hand in play holds true: each seat's stage, whose turn it is, and what it tells.

Owns the immutable records that the search of `turns` moves between. Knows no sensors and no probabilities.
"""

from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from hw.observations import Moment
from monitor.events import SEATS, Discarded, Event, Racked, Seat
from monitor.inference.beam import Scored

NOBODY: frozenset[str] = frozenset()


class Stage(Enum):
    """Where a seat stands in its turn, and how many tiles that puts beside its base."""

    RESTING = auto()
    """Not in its turn, or not yet picked: the base."""
    HOLDING = auto()
    """Has picked and racked, or exposed: one more than the base until it discards."""
    OWING = auto()
    """Discarded with the pick still in hand: one fewer than the base until it racks."""
    CLAIMING = auto()
    """Called, and gathers the tiles of its exposure."""
    DEAD = auto()
    """Declared dead: its tiles mean nothing for the turn."""


class Player(Struct, frozen=True):
    """One seat in one explanation. `base`: tiles it has off turn.

    `away`: tiles lifted that will come back, `away_uids` where tags tell them, `away_residue_g` of their weight.
    `silent`: tags that lie on the rack, or did, and were not heard for long.
    `given`: naturals given in an exchange whose jokers have not come yet, the first at `given_at`; `given_uids` of all
    that were given in this turn, where tags tell them.
    `owed_s`: when it discarded, if the pick that it then held in hand was given up: its sensor may only be slow.
    `taken_s`: when the newest joker came for one in this turn.
    `answered`: ledges on which a natural came and a joker went since.
    `laid_at`: when a natural last came to its ledge for a joker.
    `lent`: tiles more or fewer on a ledge in the middle of somebody else's exchange.
    `gained`: tiles that came onto the ledge in this claim, `claimed`: the claimed one among them, `pressed`: by button.
    `shown`: it has exposures.
    """

    base: int = 13
    stage: Stage = Stage.RESTING
    away: int = 0
    away_uids: frozenset[str] = NOBODY
    away_residue_g: float = 0.0
    since_s: float = 0.0
    silent: frozenset[str] = NOBODY
    given: int = 0
    lent: int = 0
    gained: int = 0
    claimed: bool = False
    pressed: bool = False
    given_at: Moment | None = None
    given_uids: frozenset[str] = NOBODY
    owed_s: float = 0.0
    taken_s: float = 0.0
    laid_at: Moment | None = None
    shown: bool = False
    answered: int = 0

    def after_discard(self, stage: Stage) -> "Player":
        """The same seat with its turn behind it: what belonged to the turn is over."""
        return replace(
            self,
            stage=stage,
            given=0,
            given_at=None,
            given_uids=NOBODY,
            taken_s=0.0,
            answered=0,
            lent=0,
            gained=0,
            claimed=False,
            pressed=False,
        )


class Key(NamedTuple):
    """Names a finding across explanations, and across its telling and its taking back."""

    cause: str
    kind: str
    seat: Seat | None


class Told(Struct, frozen=True):
    """A game event that an explanation contains, from the move numbered `cause`."""

    cause: int
    event: Event
    seen_s: float

    @property
    def key(self) -> "Key":
        """What makes it the same finding in two explanations: its tile where known, else the move it comes from."""
        event = self.event
        uid = event.uid if isinstance(event, Racked | Discarded) else None
        return Key(uid or str(self.cause), type(event).__name__, event.seat)


class Story(Struct, frozen=True):
    """A chain of what was told, newest first."""

    told: Told
    before: "Story | None"


class Explanation(Scored, frozen=True):
    """One reading of the hand so far. `turn`: index of the seat that is to act, -1 while nobody knows.

    `overtaken`: the seat whose turn it was when the newest claim was made; it may rack in the same moment.
    """

    players: tuple[Player, Player, Player, Player]
    turn: int
    turn_since_s: float
    story: Story | None = None
    overtaken: int = -1

    def with_player(self, seat: int, player: Player) -> "Explanation":
        """The same with one seat changed."""
        players = list(self.players)
        players[seat] = player
        return replace(self, players=(players[0], players[1], players[2], players[3]))

    def telling(self, *told: Told) -> "Explanation":
        """The same with more told."""
        story = self.story
        for item in told:
            story = Story(item, story)
        return replace(self, story=story)

    def recent(self, now_s: float, span_s: float) -> Iterator[Told]:
        """What it has told of moves that were seen less than `span_s` ago, newest first."""
        node = self.story
        while node is not None and now_s - node.told.seen_s < span_s:
            yield node.told
            node = node.before

    @property
    def facts(self) -> tuple[object, ...]:
        """What two explanations must share to be merged: everything but score and story."""
        return (
            self.turn,
            self.overtaken,
            tuple(
                (p.base, p.stage, p.away, p.given, p.lent, p.gained, p.claimed, p.away_uids, p.given_uids)
                for p in self.players
            ),
        )


def next_alive(players: tuple[Player, Player, Player, Player], seat: int) -> int:
    """The seat that plays after `seat`, dead ones skipped."""
    for step in range(1, 5):
        after = (seat + step) % 4
        if players[after].stage is not Stage.DEAD:
            return after
    return seat


def seat_of(index: int) -> Seat:
    """The seat of an index in order of play."""
    return SEATS[index]
