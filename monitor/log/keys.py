"""The secret of a log: it signs what the log says of itself, and seals which tile it was.

Owns the key file and what is derived from it. Refuses to know rows. The file is made when it is missing, readable by
its owner alone; whoever has it can sign in this monitor's name, so it is kept where the log's readers do not come.

One Ed25519 key signs (`sign`). The secret that seals a hand's tile identities is derived from the same file for that
hand and start of the monitor alone (HKDF), so that a restart loses nothing and one hand's secret opens no other's.
"""

import os
from pathlib import Path

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from monitor.errors import LogError

_OWNER_ONLY = 0o600


class LogKey:
    """The opened key file."""

    def __init__(self, private: Ed25519PrivateKey, *, was_there: bool = False) -> None:
        """Use `open` or `fresh`."""
        self._private = private
        self.was_there = was_there
        """Whether the file was found, and not made just now."""
        self.public: bytes = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        """32 bytes that everybody may know: stored in the log."""

    @classmethod
    def fresh(cls) -> "LogKey":
        """A new key that is kept nowhere."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def open(cls, path: Path) -> "LogKey":
        """Read the key file; make it where there is none. Raises `LogError`."""
        try:
            if path.is_symlink() and not path.exists():
                raise LogError(path, "leads to nowhere. Bring back what it leads to, or remove it for a new key")
            if not path.exists():
                key = cls.fresh()
                key.keep(path)
                return key
            loaded = load_pem_private_key(path.read_bytes(), password=None)
        except OSError as problem:
            raise LogError(path, f"the log's key cannot be read or made ({problem.strerror})") from problem
        except (ValueError, TypeError) as problem:
            raise LogError(path, "holds no key. Put back the file that was here, or move it away for a new one") from (
                problem
            )
        if not isinstance(loaded, Ed25519PrivateKey):
            raise LogError(path, "holds a key of another kind (Ed25519 is needed)")
        return cls(loaded, was_there=True)

    @staticmethod
    def new_salt() -> bytes:
        """Something random for a start of the monitor."""
        return os.urandom(16)

    def sign(self, statement: bytes) -> bytes:
        """64 bytes."""
        return self._private.sign(statement)

    def hand_key(self, salt: bytes, table: str, hand: int) -> bytes:
        """The secret that seals one hand's tile identities in one run, whose random `salt` is given: 32 bytes."""
        seed = self._private.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
        derived = HKDF(SHA256(), 32, salt=salt, info=f"rackwatch hand {table} {hand}".encode())
        return derived.derive(seed)

    def keep(self, path: Path) -> None:
        """Write a new key file, whole or not at all. Raises `OSError`."""
        pem = self._private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        part = path.with_name(path.name + ".part")
        part.unlink(missing_ok=True)
        try:
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY), "wb") as file:
                file.write(pem)
                file.flush()
                os.fsync(file.fileno())
            part.rename(path)
        finally:
            part.unlink(missing_ok=True)


def is_signed(public: bytes, statement: bytes, signature: bytes) -> bool:
    """Whether `signature` is that of the key whose public half is given."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, statement)
    except (InvalidSignature, ValueError):
        return False
    return True


def seal(hand_key: bytes, seq: int, payload_digest: bytes, secret: bytes) -> bytes:
    """Encrypt what only the key of the hand opens; bound to the record's number and open part."""
    return ChaCha20Poly1305(hand_key).encrypt(seq.to_bytes(12), secret, payload_digest)


def unseal(hand_key: bytes, seq: int, payload_digest: bytes, sealed: bytes) -> bytes | None:
    """The opposite of `seal`; `None` where this is not the key, or something was changed."""
    try:
        return ChaCha20Poly1305(hand_key).decrypt(seq.to_bytes(12), sealed, payload_digest)
    except (InvalidTag, ValueError):
        return None
