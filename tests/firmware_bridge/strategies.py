"""Random messages for property tests: everything a node may say, at its limits too."""

from hypothesis import strategies as st

from firmware_bridge.messages import (
    TICKS_MODULUS,
    Antenna,
    ButtonEdge,
    ButtonName,
    Channel,
    Input,
    InputName,
    InventoryRound,
    Readings,
    TagRead,
    WeightSample,
)
from firmware_bridge.uids import well_formed

ticks = st.integers(0, TICKS_MODULUS - 1)

uids = (
    st.sampled_from([4, 7, 8, 10, 12])
    .flatmap(lambda size: st.binary(min_size=size, max_size=size))
    .map(lambda raw: raw.hex().upper())
    .map(lambda text: "E0" + text[2:14] + "01" if len(text) == 16 else text)
    .filter(lambda text: well_formed(text) is not None)
)

weights = st.builds(WeightSample, ticks, st.sampled_from(Channel), st.integers(-(1 << 23), (1 << 24) - 1))
rounds = st.builds(
    InventoryRound, ticks, st.sampled_from(Antenna), st.lists(uids, max_size=14, unique=True).map(tuple), st.booleans()
)
reads = st.builds(TagRead, ticks, st.sampled_from(Antenna), uids, st.integers(-1000, 0).map(lambda tenths: tenths / 10))
buttons = st.builds(ButtonEdge, ticks, st.sampled_from(ButtonName), st.booleans())

readings = st.builds(
    Readings,
    node=st.text(min_size=1, max_size=20),
    boot=st.integers(0, (1 << 32) - 1),
    seq=st.integers(1, (1 << 32) - 1),
    ticks=ticks,
    weight=st.lists(weights, max_size=8).map(tuple),
    inventory=st.lists(rounds, max_size=4).map(tuple),
    reads=st.lists(reads, max_size=4).map(tuple),
    button=st.lists(buttons, max_size=3).map(tuple),
    faults=st.integers(0, 255),
)

inputs = st.builds(
    Input,
    input=st.sampled_from(InputName),
    by=st.none() | st.text(max_size=8),
    n=st.none() | st.integers(0, 152),
    owners=st.none() | st.lists(st.text(max_size=8), max_size=4).map(tuple),
    how=st.none() | st.text(max_size=8),
    claim=st.none() | st.text(max_size=8),
    discard_by=st.none() | st.text(max_size=8),
    other=st.none() | st.text(max_size=8),
)
