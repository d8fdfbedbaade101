"""How poor sensors and links are at each noise level.

Owns figures alone. They come from the research notes on hardware; where those give a range, the levels span it; what
they do not give is our choice: eccentricity, crosstalk, hand shadow, bounce, hysteresis, link stalls.
"""

from msgspec import Struct

from hw.simulator.options import Noise


class NoiseProfile(Struct, frozen=True, kw_only=True):
    """One level.

    Load cells: `cell_rms_g` at 10 samples/s (noisier at 80/s), `tile_spread` relative sd of one tile's weight,
    `gain_error` and `tile_error` relative errors of the calibration, `drift_g` random walk per root minute,
    `creep` share of a load change that creeps, `eccentricity` relative sd of a tile's weight by where it lies,
    `hysteresis` share of a hand's force by which it leaves the zero changed, `spike_rate`, `invalid_rate`,
    `stale_rate` shares of samples.
    Tags: `heard` mean share of rounds in which a tag is heard where it lies, `weak_tags` how many of the set are barely
    heard, `crosstalk` mean share for the rack's other antenna, `neighbour` for another rack's, `wall_seen` for the wall
    and the felt before the rack, `hand_seen` for a held tile, `hand_shadow` what a hand on the rack leaves of hearing,
    `incomplete` share of rounds, `phantom` share of rounds with an id that is not there, `silences_per_min` spells of
    a present tag's silence, per tag.
    Links: `link_ms` mean of the Wi-Fi jitter, `tail` share of messages in the heavy tail, `stalls_per_min`.
    Nodes: `ppm` sd of the clocks' rate error, `bounce` share of button presses that bounce.
    """

    cell_rms_g: float
    tile_spread: float
    gain_error: float
    tile_error: float
    drift_g: float
    creep: float
    eccentricity: float
    hysteresis: float
    spike_rate: float
    invalid_rate: float
    stale_rate: float
    heard: float
    weak_tags: int
    crosstalk: float
    neighbour: float
    wall_seen: float
    hand_seen: float
    hand_shadow: float
    incomplete: float
    phantom: float
    silences_per_min: float
    link_ms: float
    tail: float
    stalls_per_min: float
    ppm: float
    bounce: float


PROFILES = {
    Noise.QUIET: NoiseProfile(
        cell_rms_g=0.03, tile_spread=0.01, gain_error=0.002, tile_error=0.002, drift_g=0.05, creep=0.0005,
        eccentricity=0.001, hysteresis=0.0, spike_rate=0.0, invalid_rate=0.0, stale_rate=0.0,
        heard=0.97, weak_tags=0, crosstalk=0.002, neighbour=0.0, wall_seen=0.0005, hand_seen=0.4, hand_shadow=1.0,
        incomplete=0.003, phantom=0.0002, silences_per_min=0.0,
        link_ms=2.0, tail=0.002, stalls_per_min=0.0, ppm=15.0, bounce=0.0,
    ),
    Noise.NORMAL: NoiseProfile(
        cell_rms_g=0.08, tile_spread=0.015, gain_error=0.004, tile_error=0.005, drift_g=0.15, creep=0.0015,
        eccentricity=0.003, hysteresis=5e-5, spike_rate=2e-5, invalid_rate=1e-5, stale_rate=1e-5,
        heard=0.92, weak_tags=2, crosstalk=0.01, neighbour=0.0005, wall_seen=0.003, hand_seen=0.5, hand_shadow=0.95,
        incomplete=0.012, phantom=0.001, silences_per_min=0.01,
        link_ms=5.0, tail=0.01, stalls_per_min=0.05, ppm=40.0, bounce=0.02,
    ),
    Noise.HARSH: NoiseProfile(
        cell_rms_g=0.2, tile_spread=0.025, gain_error=0.008, tile_error=0.01, drift_g=0.4, creep=0.003,
        eccentricity=0.006, hysteresis=2e-4, spike_rate=3e-4, invalid_rate=2e-4, stale_rate=1e-4,
        heard=0.8, weak_tags=5, crosstalk=0.04, neighbour=0.002, wall_seen=0.01, hand_seen=0.6, hand_shadow=0.8,
        incomplete=0.04, phantom=0.005, silences_per_min=0.05,
        link_ms=10.0, tail=0.03, stalls_per_min=0.3, ppm=80.0, bounce=0.1,
    ),
    Noise.BRUTAL: NoiseProfile(
        cell_rms_g=0.3, tile_spread=0.03, gain_error=0.015, tile_error=0.02, drift_g=0.8, creep=0.005,
        eccentricity=0.01, hysteresis=5e-4, spike_rate=2e-3, invalid_rate=1e-3, stale_rate=5e-4,
        heard=0.68, weak_tags=10, crosstalk=0.08, neighbour=0.006, wall_seen=0.03, hand_seen=0.7, hand_shadow=0.65,
        incomplete=0.1, phantom=0.02, silences_per_min=0.15,
        link_ms=20.0, tail=0.06, stalls_per_min=1.0, ppm=150.0, bounce=0.25,
    ),
}  # fmt: skip
