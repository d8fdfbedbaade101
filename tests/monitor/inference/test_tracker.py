"""The tracker: observations of four weighed racks in, events out; claims and counts held back, pauses of play."""

from firmware_bridge.messages import ButtonName, Place
from hw.observations import CountSettled, Pressed, Quality, SensorHealth, Step, TileMoved, Zone, ZoneMoving
from monitor.events import (
    SEATS,
    Called,
    CallWithdrawn,
    CountChanged,
    Dead,
    Dealt,
    DeclarationWithdrawn,
    Declared,
    Discarded,
    EastIs,
    Event,
    HandEnd,
    HandEnded,
    HandStarted,
    NewHand,
    Passed,
    PlayStarted,
    Racked,
)
from monitor.inference.belief import Key, Stage
from monitor.inference.findings import Finding
from monitor.inference.phases import Phase
from monitor.inference.proof import PROVEN, UNPROVEN
from monitor.inference.tracker import CLAIM_LEAST_S, CLAIM_MOST_S, Tracker

from .script import EAST, NORTH, SOUTH, WEST, moment

E, S, W, N = SEATS
PLACES = (Place.EAST, Place.SOUTH, Place.WEST, Place.NORTH)


class Rig:
    """Four racks on scales that tell a step a third of a second after it."""

    def __init__(self) -> None:
        self.tracker = Tracker()
        self.now_s = 10.0
        self.counts = [0, 0, 0, 0]
        self.found: list[Finding] = []
        for place in PLACES:
            settled = CountSettled(place, Zone.RACK, 0, moment(self.now_s), self.now_s)
            self.found += self.tracker.observe(settled)
        self.wait(2.0)

    def wait(self, seconds: float) -> "Rig":
        end_s = self.now_s + seconds
        while self.now_s < end_s - 1e-9:
            self.now_s = min(self.now_s + 0.1037, end_s)
            self.found += self.tracker.advance(self.now_s)
        return self

    def to(self, seat: int, count: int) -> "Rig":
        """A rack is touched and rests with another count."""
        at_s, before = self.now_s, self.counts[seat]
        self.found += self.tracker.observe(ZoneMoving(PLACES[seat], Zone.RACK, at_s, at_s + 0.03))
        self.wait(0.33)
        self.counts[seat] = count
        step = Step(
            place=PLACES[seat],
            zone=Zone.RACK,
            before=before,
            after=count,
            onset=moment(at_s),
            edge=moment(at_s),
            rest_s=at_s + 0.2,
            seen_s=self.now_s,
            low=min(before, count),
            high=max(before, count),
            residue_g=0.0,
            noise_g=0.0,
            clean=True,
        )
        self.found += self.tracker.observe(step)
        return self

    def press(self, seat: int, button: ButtonName = ButtonName.CALL) -> "Rig":
        at_s = self.now_s
        self.found += self.tracker.observe(Pressed(PLACES[seat], button, moment(at_s, 0.005), at_s + 0.01))
        return self

    def say(self, event: Event) -> "Rig":
        self.found += self.tracker.input(event)
        return self

    def deal(self) -> "Rig":
        self.wait(1.0)
        for block in (4, 8, 12):
            for seat in range(4):
                self.to(seat, block).wait(0.3)
        for seat, full in enumerate((14, 13, 13, 13)):
            self.to(seat, full).wait(0.3)
        return self.wait(2.0)

    def passes(self, rounds: int = 3) -> "Rig":
        for _ in range(rounds):
            for seat in range(4):
                self.to(seat, self.counts[seat] - 3).wait(0.4)
            self.wait(2.0)
            for seat in range(4):
                self.to(seat, self.counts[seat] + 3).wait(0.4)
            self.wait(3.0)
        return self

    def play(self) -> "Rig":
        """Dealt, passed, and East's first discard is told."""
        self.deal().passes().to(EAST, 13).wait(8.0)
        assert self.tracker.phase is Phase.PLAYING
        return self

    def standing(self) -> list[Event]:
        kept: dict[Key, Event] = {}
        for finding in self.found:
            if finding.struck:
                kept.pop(finding.key, None)
            else:
                kept[finding.key] = finding.event
        return sorted(kept.values(), key=lambda e: e.at)

    def of(self, *kinds: type[Event]) -> list[Event]:
        return [e for e in self.standing() if type(e) in kinds]

    def count_told(self, seat: int) -> int | None:
        told = [f.event for f in self.found if isinstance(f.event, CountChanged) and f.event.seat is SEATS[seat]]
        return told[-1].count


def test_a_hand_from_the_deal_to_its_second_turn() -> None:
    rig = Rig().play().to(SOUTH, 14).wait(1.5).to(SOUTH, 13).wait(4.0).to(WEST, 14).wait(4.0)
    kinds = [type(e).__name__ for e in rig.standing() if not isinstance(e, CountChanged | Passed)]
    assert kinds == ["HandStarted", "Dealt", "PlayStarted", "Discarded", "Racked", "Discarded", "Racked"]
    assert [e.seat for e in rig.of(Racked, Discarded)] == [E, S, S, W]
    (dealt,) = rig.of(Dealt)
    assert isinstance(dealt, Dealt)
    assert dealt.east is E
    assert len(rig.of(Passed)) == 12
    (started,) = rig.of(PlayStarted)
    assert abs(started.at - rig.of(Discarded)[0].at) < 1.0


def test_each_key_stands_once() -> None:
    rig = Rig().play().to(SOUTH, 14).wait(1.5).to(SOUTH, 13).wait(4.0)
    keys = [f.key for f in rig.found if not f.struck]
    assert len(keys) == len(set(keys))


def test_a_courtesy_pass_of_east_is_no_play() -> None:
    """East and West give one tile and get one, and all is as before."""
    rig = Rig().deal().passes().to(EAST, 13).wait(1.0).to(WEST, 12).wait(2.5).to(EAST, 14).wait(0.5).to(WEST, 13)
    rig.wait(4.0)
    assert rig.of(PlayStarted, Discarded) == []
    assert rig.tracker.phase is Phase.PASSING


def test_counts_of_lifted_tiles_are_held_back() -> None:
    """North looks at a tile for a second: nobody is told that it has twelve."""
    rig = Rig().play()
    before = len(rig.found)
    rig.to(NORTH, 12).wait(1.0).to(NORTH, 13).wait(4.0)
    assert not [f for f in rig.found[before:] if f.event.seat is N]
    assert rig.count_told(NORTH) == 13


def sureness(rig: Rig, seat: int, since: int) -> list[tuple[int | None, float | None]]:
    """Each number of a rack that was told from the `since`th finding on, and how sure."""
    told = [f.event for f in rig.found[since:] if isinstance(f.event, CountChanged) and f.event.seat is SEATS[seat]]
    return [(event.count, event.confidence) for event in told]


def test_a_number_that_surprises_is_unsure_until_its_rack_has_rested() -> None:
    """South picks two: fifteen after its racking is told at once, and is sure once the rack has lain still with it."""
    rig = Rig().play()
    before = len(rig.found)
    rig.to(SOUTH, 15).wait(1.5)
    assert (15, UNPROVEN) in sureness(rig, SOUTH, before)
    assert (15, PROVEN) not in sureness(rig, SOUTH, before)
    rig.wait(6.0)
    assert sureness(rig, SOUTH, before)[-1] == (15, PROVEN)


def test_a_lawful_number_is_certain() -> None:
    rig = Rig().play()
    before = len(rig.found)
    rig.to(SOUTH, 14).wait(1.5).to(SOUTH, 13).wait(4.0)
    assert sureness(rig, SOUTH, before) == [(14, None), (13, None)]


def test_a_dip_on_a_rack_that_is_touched_on_and_on_is_never_sure() -> None:
    """North lifts a tile and goes on sorting for a quarter of a minute: no scale has rested, nothing is known."""
    rig = Rig().play()
    before = len(rig.found)
    rig.to(NORTH, 12).wait(0.3)
    rig.tracker.observe(ZoneMoving(Place.NORTH, Zone.RACK, rig.now_s, rig.now_s + 0.03))
    rig.wait(15.0)
    assert (12, PROVEN) not in sureness(rig, NORTH, before)
    assert (12, None) not in sureness(rig, NORTH, before)


def test_a_lawful_count_that_a_scale_tells_waits_for_no_tag() -> None:
    """North's rack is unknown while a tile is lifted for long; when it is back no tag needs to say which one it was."""
    rig = Rig().play()
    heard = TileMoved("A", Place.NORTH, Zone.SLOPE, moment(rig.now_s - 0.5), rig.now_s, 0.99)
    rig.found += rig.tracker.observe(heard)
    rig.wait(3.0).to(NORTH, 12).wait(8.0)
    assert rig.count_told(NORTH) is None
    rig.to(NORTH, 13).wait(0.3)
    assert rig.count_told(NORTH) == 13


def test_a_claim_is_told_when_what_came_before_it_is_known() -> None:
    rig = Rig().play()
    at_s = rig.now_s
    rig.press(WEST)
    assert rig.of(Called) == []
    rig.wait(CLAIM_LEAST_S + 0.5)
    (called,) = rig.of(Called)
    assert called.at == at_s
    assert CLAIM_LEAST_S <= called.known - at_s < CLAIM_LEAST_S + 0.5


def test_a_claim_waits_for_a_rack_in_motion_but_not_for_ever() -> None:
    rig = Rig().play()
    rig.found += rig.tracker.observe(ZoneMoving(Place.SOUTH, Zone.RACK, rig.now_s, rig.now_s))
    rig.press(WEST).wait(CLAIM_MOST_S - 0.3)
    assert rig.of(Called) == []
    rig.wait(0.6)
    assert len(rig.of(Called)) == 1


def test_mah_jongg_pauses_play_and_taking_it_back_resumes_it() -> None:
    rig = Rig().play().to(SOUTH, 14).wait(2.0).press(SOUTH, ButtonName.MAH_JONGG)
    assert [e.seat for e in rig.of(Declared)] == [S]
    assert rig.tracker.phase is Phase.SHOWN
    rig.wait(1.0).say(DeclarationWithdrawn(at=rig.now_s, seat=S)).wait(1.0)
    rig.to(SOUTH, 13).wait(4.0)
    assert [e.seat for e in rig.of(Racked, Discarded)] == [E, S, S]


def totals_told(rig: Rig, seat: int) -> list[tuple[int | None, float | None]]:
    told = [f.event for f in rig.found if isinstance(f.event, CountChanged) and f.event.seat is SEATS[seat]]
    return [(event.count, event.confidence) for event in told]


def test_tiles_lifted_to_be_shown_before_the_button_is_pressed_are_no_sure_count() -> None:
    rig = Rig()
    rig.tracker = Tracker()
    rig.counts = [13, 13, 13, 13]
    for place in PLACES:
        rig.found += rig.tracker.observe(CountSettled(place, Zone.RACK, 13, moment(rig.now_s), rig.now_s))
    rig.wait(5.0).to(NORTH, 12).wait(1.0).to(NORTH, 13).wait(1.0)
    rig.found.clear()
    for seat in (EAST, SOUTH):
        rig.to(seat, 14).wait(1.5).to(seat, 13).wait(2.5)
    rig.to(WEST, 12).wait(1.0).press(WEST, ButtonName.MAH_JONGG).wait(1.0)
    assert [e.seat for e in rig.of(Declared)] == [W]
    assert {sure for count, sure in totals_told(rig, WEST) if count == 12} <= {UNPROVEN}


def test_a_wrong_number_that_play_has_proven_stays_so_when_the_hand_is_shown() -> None:
    rig = Rig().play().to(SOUTH, 14).wait(2.0).to(SOUTH, 12).wait(15.0)
    assert totals_told(rig, SOUTH)[-1] == (12, PROVEN)
    rig.press(SOUTH, ButtonName.MAH_JONGG).wait(1.0)
    assert totals_told(rig, SOUTH)[-1] == (12, PROVEN)


def test_racks_swept_after_mah_jongg_end_the_hand() -> None:
    rig = Rig().play().press(SOUTH, ButtonName.MAH_JONGG).wait(3.0)
    rig.to(SOUTH, 0).wait(1.0).to(WEST, 0).wait(1.0).to(EAST, 0).wait(1.0).to(NORTH, 0).wait(2.0)
    (ended,) = rig.of(HandEnded)
    assert isinstance(ended, HandEnded)
    assert ended.how is HandEnd.MAH_JONGG
    rig.deal()
    assert len(rig.of(HandStarted)) == 2
    assert len(rig.of(Dealt)) == 2


def test_a_dead_hand_is_skipped_but_not_by_its_own_word() -> None:
    rig = Rig().play()
    rig.say(Dead(at=rig.now_s, seat=S, by="south"))
    assert rig.tracker._play.player(SOUTH).stage is not Stage.DEAD  # type: ignore[union-attr]
    rig.say(Dead(at=rig.now_s, seat=S, by="west")).wait(0.5).to(WEST, 14).wait(3.0)
    assert [e.seat for e in rig.of(Racked)] == [W]


def test_a_new_hand_forgets_the_old() -> None:
    rig = Rig().play()
    rig.say(NewHand(at=rig.now_s)).wait(1.0)
    assert rig.tracker.phase is Phase.UNKNOWN
    rig.to(SOUTH, 12).wait(8.0)
    assert rig.of(Racked) == []


def test_the_director_says_who_is_east() -> None:
    rig = Rig().deal()
    rig.say(EastIs(at=rig.now_s, seat=W))
    assert rig.tracker._hand.east == WEST
    assert [e.seat for e in rig.of(EastIs)] == [W]


def test_a_silent_node_makes_its_rack_unknown_until_it_speaks() -> None:
    rig = Rig().play()
    rig.found += rig.tracker.observe(SensorHealth(Place.NORTH, "node", Quality.SILENT, rig.now_s))
    assert rig.count_told(NORTH) is None
    rig.wait(3.0)
    rig.found += rig.tracker.observe(SensorHealth(Place.NORTH, "node", Quality.GOOD, rig.now_s))
    rig.wait(8.0)
    assert rig.count_told(NORTH) == 13


def test_the_floor_s_silence_and_a_sick_antenna_change_no_count() -> None:
    rig = Rig().play()
    before = len(rig.found)
    for place, sensor in ((Place.FLOOR, "node"), (Place.NORTH, "slope antenna")):
        rig.found += rig.tracker.observe(SensorHealth(place, sensor, Quality.SILENT, rig.now_s))
    rig.wait(2.0)
    assert rig.found[before:] == []


def test_a_hand_begun_before_the_monitor_is_picked_up_from_its_turns() -> None:
    rig = Rig()
    rig.tracker = Tracker()
    rig.counts = [13, 13, 13, 13]
    for place in PLACES:
        rig.found += rig.tracker.observe(CountSettled(place, Zone.RACK, 13, moment(rig.now_s), rig.now_s))
    rig.wait(5.0)
    rig.to(NORTH, 12).wait(1.0).to(NORTH, 13).wait(1.0)
    for seat in (SOUTH, WEST, NORTH, EAST):
        rig.to(seat, 14).wait(1.5).to(seat, 13).wait(2.5)
    rig.wait(4.0)
    assert rig.of(Dealt, HandStarted, PlayStarted) == []
    assert [e.seat for e in rig.of(Racked)][-2:] == [N, E]
    assert {e.seat for e in rig.of(Discarded)} >= {N, E}
    assert {rig.count_told(seat) for seat in range(4)} == {13}


def test_a_claim_taken_back_is_none() -> None:
    rig = Rig().play().press(WEST).wait(1.0)
    assert rig.tracker._play.player(WEST).stage is Stage.CLAIMING  # type: ignore[union-attr]
    rig.say(CallWithdrawn(at=rig.now_s, seat=W))
    assert rig.tracker._play.player(WEST).stage is Stage.RESTING  # type: ignore[union-attr]


def test_a_wrong_number_in_the_passes_is_unsure_as_soon_as_the_rack_is_touched() -> None:
    """Four went to the right and three came: West has one more and South one fewer, as long as they lie still."""
    rig = Rig().deal().to(SOUTH, 9).wait(2.0).to(WEST, 17).wait(1.0).to(WEST, 14).wait(1.0).to(SOUTH, 12).wait(6.0)
    assert [rig.count_told(seat) for seat in (SOUTH, WEST)] == [12, 14]
    rig.found += rig.tracker.observe(ZoneMoving(PLACES[WEST], Zone.RACK, rig.now_s, rig.now_s + 0.03))
    touched_s = rig.now_s
    rig.wait(0.3)
    assert [rig.count_told(seat) for seat in (SOUTH, WEST)] == [12, 14]
    doubt = [f.event for f in rig.found if isinstance(f.event, CountChanged) and f.event.seat is W][-1]
    assert (doubt.at, doubt.confidence) == (touched_s, UNPROVEN)
    rig.to(WEST, 14).wait(6.0)
    assert sureness(rig, WEST, 0)[-1] == (14, PROVEN)
