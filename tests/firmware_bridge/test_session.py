"""A node's conversation: every row of the table in `session`'s opening words, and random disorder.

Rows 37, 38 and 40 of the faults seen in the field among them.
"""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.arrival import Arrival, Link
from firmware_bridge.messages import TICKS_MODULUS, Hello, Input, InputName, Place, Pong, Readings
from firmware_bridge.rejections import BadRow, Unread
from firmware_bridge.session import Delivery, NodeSession, SessionSettings

HOLD_S = SessionSettings().hold_s
EVERY_S = 0.1


def readings(seq: int, boot: int = 7, start_s: float = 100.0) -> Readings:
    """The `seq`-th message since boot of a node that speaks ten times a second."""
    return Readings("n", boot, seq, round((start_s + seq * EVERY_S) * 1e6) % TICKS_MODULUS)


def arrival(message: Readings | Hello | Pong, at_s: float | None = None, link: Link = Link.NETWORK) -> Arrival:
    return Arrival(message.seq * EVERY_S if at_s is None else at_s, "T1", Place.EAST, message, link)


class Conversation:
    """A session, and everything it delivered."""

    def __init__(self, link: Link = Link.NETWORK) -> None:
        self.session = NodeSession(Place.EAST, "n", link)
        self.link = link
        self.delivered: list[Delivery] = []

    def hear(self, *seqs: int, boot: int = 7, start_s: float = 100.0, late_s: float = 0.002) -> "Conversation":
        """Messages that arrive as they are made."""
        for seq in seqs:
            self.take(readings(seq, boot, start_s), seq * EVERY_S + late_s)
        return self

    def take(self, message: Readings | Hello | Pong, at_s: float) -> list[Delivery]:
        new = self.session.feed(arrival(message, at_s, self.link))
        self.delivered += new
        return new

    def wait(self, until_s: float) -> list[Delivery]:
        new = self.session.advance(until_s)
        self.delivered += new
        return new

    @property
    def seqs(self) -> list[int]:
        return [delivery.readings.seq for delivery in self.delivered]

    @property
    def lost(self) -> list[int]:
        return [delivery.lost for delivery in self.delivered]

    @property
    def rebooted(self) -> list[bool]:
        return [delivery.rebooted for delivery in self.delivered]


def test_messages_in_order_come_out_at_once() -> None:
    talk = Conversation().hear(1, 2, 3)
    assert talk.seqs == [1, 2, 3]
    assert talk.lost == [0, 0, 0]
    assert talk.rebooted == [False, False, False]
    assert talk.delivered[2].place is Place.EAST
    assert talk.delivered[2].arrived_s == pytest.approx(0.302)
    assert talk.delivered[2].clock.at(readings(3).ticks) == pytest.approx(0.302)


def test_a_conversation_overheard_from_the_middle_has_lost_nothing() -> None:
    for first in (5, 5000):
        talk = Conversation().hear(first, first + 1)
        talk.wait(1000.0)
        assert talk.seqs == [first, first + 1]
        assert talk.lost == [0, 0]


def test_the_first_messages_are_put_in_order_too() -> None:
    talk = Conversation()
    talk.take(readings(2), 0.2)
    talk.take(readings(1), 0.21)
    talk.hear(3, 4)
    assert talk.seqs == [1, 2, 3, 4]


def test_disorder_is_put_in_order() -> None:
    talk = Conversation().hear(1, 2)
    talk.take(readings(4), 0.40)
    talk.take(readings(5), 0.50)
    assert talk.seqs == [1, 2]
    talk.take(readings(3), 0.51)
    assert talk.seqs == [1, 2, 3, 4, 5]
    assert talk.lost == [0] * 5
    assert talk.session.stats.reordered == 2


def test_a_gap_is_given_up_in_time_and_the_loss_travels_with_the_data() -> None:
    talk = Conversation().hear(1, 2)
    talk.take(readings(5), 0.5)
    assert talk.session.due_s == pytest.approx(0.5 + HOLD_S)
    assert talk.wait(0.5 + HOLD_S - 0.001) == []
    assert [delivery.lost for delivery in talk.wait(0.5 + HOLD_S + 0.001)] == [2]
    assert talk.seqs == [1, 2, 5]
    assert talk.session.stats.lost == 2


def test_two_gaps_are_waited_for_one_by_one() -> None:
    talk = Conversation().hear(1)
    talk.take(readings(3), 0.3)
    talk.take(readings(5), 0.5)
    talk.wait(0.3 + HOLD_S + 0.01)
    assert talk.seqs == [1, 3]
    talk.take(readings(4), 0.7)
    assert talk.seqs == [1, 3, 4, 5]
    assert talk.lost == [0, 1, 0, 0]


def test_a_gap_is_given_up_by_what_arrives_later_without_any_advance() -> None:
    talk = Conversation().hear(1, 3, 4, 5, 6, 7)
    assert talk.seqs == [1, 3, 4, 5, 6, 7]
    assert talk.lost == [0, 1, 0, 0, 0, 0]


def test_no_more_than_a_few_are_held() -> None:
    talk = Conversation().hear(1)
    talk.wait(0.5)
    last_held = 2 + SessionSettings().hold_messages
    for seq in range(3, last_held + 1):
        assert talk.take(readings(seq), 0.5) == []
    for seq in range(last_held + 1, last_held + 4):
        talk.take(readings(seq), 0.5)
    assert talk.seqs == [1, *range(3, last_held + 4)]
    assert sum(talk.lost) == 1


def test_a_message_that_comes_after_it_was_given_up_is_dropped_and_counted() -> None:
    talk = Conversation().hear(1, 3, 4, 5, 6, 7)
    assert talk.take(readings(2), 0.75) == []
    talk.hear(8)
    assert talk.seqs == [1, 3, 4, 5, 6, 7, 8]
    assert talk.session.stats.late == 1


def test_on_a_serial_line_nothing_overtakes_so_nothing_is_waited_for() -> None:
    talk = Conversation(Link.USB).hear(1, 2, 4)
    assert talk.seqs == [1, 2, 4]
    assert talk.lost == [0, 0, 1]


def test_fault_40_a_redelivery_without_the_dup_flag_is_dropped() -> None:
    talk = Conversation().hear(1, 2, 3)
    assert talk.take(readings(3), 0.31) == []
    assert talk.take(readings(1), 0.32) == []
    talk.take(readings(5), 0.5)
    assert talk.take(readings(5), 0.51) == []
    talk.hear(6)
    talk.wait(2.0)
    assert talk.seqs == [1, 2, 3, 5, 6]
    assert talk.session.stats.duplicates == 3


def test_fault_40_a_whole_queue_redelivered_after_a_reconnect_makes_nothing_twice() -> None:
    talk = Conversation().hear(*range(1, 51))
    for seq in range(20, 51):
        talk.take(readings(seq), 5.2 + seq * 0.001)
    talk.hear(51)
    assert talk.seqs == list(range(1, 52))
    assert talk.session.stats.duplicates == 31


def test_fault_40_a_redelivery_from_long_ago_is_no_reboot() -> None:
    talk = Conversation().hear(*range(1, 2001))
    for seq in range(1, 200):
        talk.take(readings(seq), 200.2 + seq * 0.001)
    talk.hear(2001, 2002, 2003, 2004, 2005)
    assert talk.seqs[-6:] == [2000, 2001, 2002, 2003, 2004, 2005]
    assert talk.session.stats.reboots == 0
    assert len(talk.seqs) == 2005


def test_fault_38_a_retained_message_makes_nothing() -> None:
    session = NodeSession(Place.EAST, "n", Link.NETWORK)
    retained = Arrival(0.1, "T1", Place.EAST, readings(41), retained=True)
    assert session.feed(retained) == []
    assert session.last_s == float("-inf")
    assert session.feed(arrival(readings(42), 0.2)) == []
    assert [delivery.lost for delivery in session.feed(arrival(readings(43), 0.3))] == [0, 0]
    assert session.stats.retained == 1


def test_fault_37_a_new_boot_is_a_reboot_and_nothing_is_lost() -> None:
    talk = Conversation().hear(1, 2, 3)
    for seq in (1, 2, 3):
        talk.take(readings(seq, boot=8, start_s=0.0), 2.0 + seq * EVERY_S)
    assert talk.seqs == [1, 2, 3, 1, 2, 3]
    assert talk.rebooted == [False, False, False, True, False, False]
    assert talk.lost == [0] * 6
    assert talk.session.stats.reboots == 1
    assert talk.delivered[-1].clock.at(readings(3, start_s=0.0).ticks) == pytest.approx(2.3)


def test_what_was_held_of_the_old_boot_comes_before_the_new_one() -> None:
    talk = Conversation().hear(1, 2)
    talk.take(readings(4), 0.4)
    talk.take(readings(1, boot=8), 0.5)
    talk.take(readings(2, boot=8), 0.6)
    assert talk.seqs == [1, 2, 4, 1, 2]
    assert talk.lost == [0, 0, 1, 0, 0]
    assert talk.rebooted == [False, False, False, True, False]


def test_the_beginning_of_a_new_boot_that_never_came_is_lost() -> None:
    talk = Conversation().hear(1, 2)
    for seq in (101, 102):
        talk.take(readings(seq, boot=8), seq * EVERY_S)
    assert talk.lost == [0, 0, 100, 0]


def test_a_hello_is_believed_at_once() -> None:
    talk = Conversation(Link.USB).hear(1, 2)
    hello = Hello("n", 8, 1, 50, protocol=1)
    talk.take(hello, 0.5)
    assert talk.session.hello is hello
    talk.take(readings(2, boot=8), 0.6)
    talk.take(readings(3, boot=8), 0.7)
    assert talk.rebooted == [False, False, True, False]


def test_a_new_boot_that_speaks_once_is_believed_when_nobody_objects() -> None:
    talk = Conversation().hear(1, 2)
    talk.take(readings(1, boot=8), 1.0)
    assert talk.seqs == [1, 2]
    talk.wait(1.0 + HOLD_S + 0.01)
    assert talk.rebooted == [False, False, True]


def test_one_nonsensical_boot_is_no_reboot() -> None:
    talk = Conversation().hear(1, 2)
    talk.take(readings(1, boot=999), 0.25)
    talk.hear(3, 4, 5, 6, 7, 8)
    assert talk.seqs == list(range(1, 9))
    assert talk.session.stats.reboots == 0
    assert talk.session.stats.strays == 1


def test_stragglers_of_an_earlier_boot_are_dropped() -> None:
    talk = Conversation().hear(1, 2, 3)
    for seq in (1, 2):
        talk.take(readings(seq, boot=8), 0.5 + seq * EVERY_S)
    assert talk.take(readings(4), 0.75) == []
    talk.take(readings(3, boot=8), 0.8)
    assert talk.seqs == [1, 2, 3, 1, 2, 3]
    assert talk.session.stats.stragglers == 1
    assert talk.session.stats.reboots == 1


def test_a_boot_number_used_again_much_later_is_a_reboot() -> None:
    talk = Conversation().hear(1, 2).hear(11, 12, boot=8)
    for seq in (1, 2, 3):
        talk.take(readings(seq, boot=7, start_s=0.0), 20.0 + seq * EVERY_S)
    assert talk.seqs[-3:] == [1, 2, 3]
    assert talk.session.stats.reboots == 2


@pytest.mark.parametrize("start_s", [0.0, 112.0, 4000.0], ids=["clock too", "clock goes on", "clock leaps"])
def test_a_count_that_begins_anew_without_a_new_boot_is_a_reboot(start_s: float) -> None:
    talk = Conversation().hear(*range(1, 101))
    for seq in range(1, 21):
        talk.take(readings(seq, start_s=start_s), 12.0 + seq * EVERY_S)
    assert talk.seqs == [*range(1, 101), *range(1, 21)]
    assert talk.rebooted.index(True) == 100
    assert talk.session.stats.reboots == 1
    assert talk.session.stats.lost == 0


def test_one_nonsensical_count_moves_nothing() -> None:
    for seq in (60_000, 1 << 40):
        talk = Conversation().hear(*range(1, 20))
        talk.take(readings(seq), 1.95)
        talk.hear(*range(20, 40))
        assert talk.seqs == list(range(1, 40))
        assert talk.session.stats.strays == 1
        assert talk.session.stats.lost == 0


@pytest.mark.parametrize("answers", [2, 3], ids=["nobody objects", "three agree"])
def test_a_long_outage_is_a_loss_and_no_reboot(answers: int) -> None:
    talk = Conversation().hear(1, 2)
    for seq in range(3000, 3000 + answers):
        talk.take(readings(seq), seq * EVERY_S)
    talk.wait(3000 * EVERY_S + 1.0)
    assert talk.seqs == [1, 2, *range(3000, 3000 + answers)]
    assert talk.lost[2] == 2997
    assert not any(talk.rebooted)


def test_answers_count_but_are_not_delivered_and_pings_bound_the_clock() -> None:
    talk = Conversation(Link.USB)
    for seq in range(1, 200):
        at_s = seq * EVERY_S
        ticks = readings(seq).ticks
        if seq % 10 == 0:
            pong = Pong("n", 7, seq, ticks, nonce=seq, received_ticks=ticks - 200)
            talk.session.feed(Arrival(at_s + 0.001, "T1", Place.EAST, pong, Link.USB, ping_sent_s=at_s - 0.0012))
        else:
            talk.take(readings(seq), at_s + 0.001)
    assert talk.session.stats.answers == 19
    assert talk.session.stats.lost == 0
    assert talk.delivered[-1].clock.early_s < 0.003


def test_ticks_that_wrap_are_no_reboot() -> None:
    start_s = TICKS_MODULUS / 1e6 - 1.0
    talk = Conversation().hear(*range(1, 40), start_s=start_s)
    assert talk.seqs == list(range(1, 40))
    assert talk.session.stats.reboots == 0
    assert talk.delivered[-1].clock.at(readings(39, start_s=start_s).ticks) == pytest.approx(3.902, abs=1e-4)


def test_what_could_not_be_read_travels_with_the_data() -> None:
    session = NodeSession(Place.EAST, "n", Link.NETWORK)
    session.feed(Arrival(0.1, "T1", Place.EAST, readings(1), bad=(BadRow(Unread.NO_UID),) * 3))
    assert [one.bad_rows for one in session.feed(arrival(readings(2)))] == [3, 0]


def test_a_backlog_is_dated_when_the_clock_is_known() -> None:
    """A minute that a broker kept for us comes at once; each message is dated when it was made all the same."""
    talk = Conversation()
    for seq in range(1, 601):
        assert talk.take(readings(seq), 61.0 + seq * 0.0005) == []
    talk.take(readings(610), 61.352)
    talk.take(readings(611), 61.402)
    talk.take(readings(612), 61.502)
    talk.hear(*range(620, 640), late_s=0.302)
    assert talk.seqs[:600] == list(range(1, 601))
    for delivery in talk.delivered:
        clock, made_s = delivery.clock, delivery.readings.seq * EVERY_S
        assert clock.at(delivery.readings.ticks) - clock.early_s <= made_s + 0.302
        assert abs(clock.at(delivery.readings.ticks) - made_s - 0.302) < 0.02
    assert talk.session.clock.restarts == 0


def test_a_message_that_nothing_follows_is_dated_after_a_while() -> None:
    talk = Conversation()
    talk.take(readings(1), 0.1)
    assert talk.session.due_s == pytest.approx(0.1 + HOLD_S)
    talk.wait(0.1 + HOLD_S + 0.01)
    assert talk.seqs == [1]
    assert talk.delivered[0].clock.at(readings(1).ticks) == pytest.approx(0.1)


def test_a_backlog_without_end_is_not_waited_for() -> None:
    talk = Conversation()
    for seq in range(1, 5000):
        talk.take(readings(seq), 1000.0 + seq * 0.0001)
    assert len(talk.seqs) > 4000
    assert talk.seqs == list(range(1, len(talk.seqs) + 1))


def test_an_input_is_a_callers_mistake() -> None:
    said = Arrival(0.1, "T1", Place.EAST, Input(input=InputName.CALL))
    with pytest.raises(AssertionError):
        NodeSession(Place.EAST, "n", Link.NETWORK).feed(said)


def pending(session: NodeSession) -> int:
    return len(session._held) + len(session._newcomers) + len(session._leapers)


def total(session: NodeSession) -> int:
    stats = session.stats
    return (
        stats.delivered
        + stats.answers
        + stats.duplicates
        + stats.late
        + stats.stragglers
        + stats.strays
        + stats.retained
        + pending(session)
    )


@given(st.integers(0, 1 << 32), st.floats(0.0, 0.2), st.floats(0.0, 0.3), st.floats(0.0, 0.28))
def test_random_loss_repeats_and_disorder(seed: int, loss: float, repeats: float, delay_s: float) -> None:
    """Disorder shorter than the hold costs nothing; what is lost is counted exactly; nothing comes twice."""
    rng = random.Random(seed)
    way: list[tuple[float, int]] = []
    sent = range(1, 120)
    lost = {seq for seq in sent if rng.random() < loss and 3 < seq < 100}
    for seq in sent:
        if seq not in lost:
            way.append((seq * EVERY_S + rng.uniform(0.0, delay_s), seq))
            if rng.random() < repeats:
                way.append((seq * EVERY_S + rng.uniform(0.0, 3.0), seq))
    talk = Conversation()
    for at_s, seq in sorted(way):
        talk.take(readings(seq), at_s)
    talk.wait(100.0)
    assert talk.seqs == [seq for seq in sent if seq not in lost]
    assert sum(talk.lost) == len(lost) == talk.session.stats.lost
    assert not any(talk.rebooted)
    assert total(talk.session) == talk.session.stats.received


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 40) | st.integers(0, 1 << 53), st.integers(0, TICKS_MODULUS - 1)),
        max_size=60,
    ),
    st.sampled_from(Link),
)
def test_any_sequence_of_messages_is_accounted_for(messages: list[tuple[int, int, int]], link: Link) -> None:
    session = NodeSession(Place.EAST, "n", link)
    delivered: list[Delivery] = []
    for number, (boot, seq, ticks) in enumerate(messages):
        delivered += session.feed(arrival(Readings("n", boot, seq, ticks), number * 0.07, link))
        assert pending(session) <= SessionSettings().hold_messages + 8
        assert total(session) == session.stats.received == number + 1
    delivered += session.advance(1000.0)
    assert len(delivered) == session.stats.delivered
    assert sum(one.lost for one in delivered) == session.stats.lost
    for before, after in pairwise(delivered):
        if not after.rebooted:
            assert after.readings.boot == before.readings.boot
            assert after.readings.seq == before.readings.seq + 1 + after.lost


@given(st.integers(0, 1 << 32), st.lists(st.floats(0.0, 0.09), min_size=1, max_size=20))
def test_when_time_is_let_pass_changes_no_content(seed: int, steps_s: list[float]) -> None:
    """Live, `advance` comes when it comes; the readings delivered are those of a replay that never calls it."""
    rng = random.Random(seed)
    way = sorted((seq * EVERY_S + rng.uniform(0, 0.25), seq) for seq in range(1, 80) if rng.random() > 0.1)
    plain, paced = Conversation(), Conversation()
    now_s = 0.0
    for number, (at_s, seq) in enumerate(way):
        now_s = max(now_s, at_s - steps_s[number % len(steps_s)])
        paced.wait(now_s)
        paced.take(readings(seq), at_s)
        plain.take(readings(seq), at_s)
        now_s = at_s
    for talk in (plain, paced):
        talk.wait(100.0)
    assert [(one.readings, one.lost) for one in plain.delivered] == [
        (one.readings, one.lost) for one in paced.delivered
    ]
