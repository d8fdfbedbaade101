"""Which hands are played: every fault, seeds apart from the tests', the same hand on every tier, each reproducible."""

from bench.accuracy.one import arguments, options_of
from bench.accuracy.scenarios import FIRST_SEED, Family, Wanted, command, scenarios
from hw.simulator.options import Noise, Pace, RuleFault, SensorFault, Tier

EVERY = list(scenarios(Wanted(rounds=2)))


def test_seeds_are_above_the_tests_and_names_are_unique() -> None:
    assert min(one.options.seed for one in EVERY) == FIRST_SEED
    assert len({one.key for one in EVERY}) == len(EVERY)


def test_a_run_has_every_fault_noise_and_pace() -> None:
    one_round = [one.options for one in scenarios(Wanted(rounds=1))]
    assert {options.rule_fault for options in one_round} == {*RuleFault, None}
    assert {fault for options in one_round for fault in options.sensor_faults} == set(SensorFault)
    assert {options.noise for options in one_round} == {Noise.NORMAL, Noise.HARSH, Noise.BRUTAL}
    assert {options.pace for options in one_round} == set(Pace)
    assert any(options.hands > 1 for options in one_round)


def test_two_rounds_have_every_rule_fault_on_every_tier() -> None:
    faults = {(one.options.tier, one.options.rule_fault) for one in EVERY if one.family is Family.FAULT}
    assert faults == {(tier, fault) for tier in Tier for fault in RuleFault}


def test_the_command_plays_the_same_evening() -> None:
    for one in EVERY:
        words = command(one.options).split()[3:]
        assert options_of(arguments(words)) == one.options, command(one.options)


def test_fewer_tiers_and_families() -> None:
    some = list(scenarios(Wanted(hands=3, tiers=(Tier.RFID,), families=(Family.LEGAL,))))
    assert [one.key for one in some] == [f"legal/rfid/{FIRST_SEED + k}" for k in range(3)]
