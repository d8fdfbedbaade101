from monitor.access.passwords import LONGEST, SHORTEST, flaw_of, hash_of, is_password


def test_a_password_is_its_own_hashs_alone() -> None:
    hashed = hash_of("four words are good")
    assert hashed.startswith("$argon2id$")
    assert hash_of("four words are good") != hashed
    assert is_password("four words are good", hashed)
    assert not is_password("four words are gone", hashed)
    assert not is_password("four words are good", None)
    assert not is_password("", None)
    assert not is_password("four words are good", "$argon2id$nonsense")


def test_what_is_no_password_to_have() -> None:
    assert "10 characters at least" in flaw_of("x" * (SHORTEST - 1))
    assert flaw_of("x" * SHORTEST) == flaw_of("x" * LONGEST) == ""
    assert "at most" in flaw_of("x" * (LONGEST + 1))
