"""Signs lines of logs with an Ed25519 key, and checks such signatures.

The private key is kept in the user's settings folder, readable by the user alone, never in a
review. A signature shows that the holder of the key wrote a line; whose key it is, judges tell each
other.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forensicviewer.app.runtime.folders import config_folder
from forensicviewer.core.problem import ForensicViewerError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PASSPHRASE = "FORENSICVIEWER_PASSPHRASE"


# Keys whose passphrase was given, for as long as the program runs.
_unlocked: dict[str, Signer] = {}


def key_folder() -> Path:
    return config_folder() / "keys"


class KeyState(Enum):
    """Whether a name has a key on this machine, and whether it can sign without a passphrase."""

    NONE = auto()
    LOCKED = auto()
    OPEN = auto()


@dataclass(frozen=True, slots=True)
class Signer:
    """Signs with a private key; ``public`` is the other half, in base64."""

    public: str
    _private: Ed25519PrivateKey

    def signed(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """The content with key and signature, over the very bytes of the line before them."""
        whole = {**content, "key": self.public}
        signature = self._private.sign(_bytes(whole))
        return {**whole, "signature": base64.b64encode(signature).decode()}


def make_key(name: str, *, passphrase: str = "") -> Signer:
    """Make a private key, once; a name that has one keeps it."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    path = _key_path(name)
    if path.exists():
        return read_key(name, passphrase=passphrase)
    locked: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase:
        locked = serialization.BestAvailableEncryption(passphrase.encode())
    private = Ed25519PrivateKey.generate()
    written = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, locked
    )
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Never readable by others, not even for a moment.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(written)
    _unlocked[name] = _signer(private)
    return _unlocked[name]


def read_key(name: str, *, passphrase: str = "") -> Signer:
    """The key of a name; the passphrase may also stand in the environment."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    path, secret = _key_path(name), passphrase or os.environ.get(PASSPHRASE, "")
    try:
        found = serialization.load_pem_private_key(
            path.read_bytes(), secret.encode() if secret else None
        )
    except (ValueError, TypeError) as error:
        raise ForensicViewerError(
            "The key cannot be read; check the passphrase",
            where=path,
            hint=f"set {PASSPHRASE} to its passphrase",
            rule="verdict.key",
        ) from error
    if not isinstance(found, Ed25519PrivateKey):
        raise ForensicViewerError("This is not an Ed25519 key", where=path, rule="verdict.key")
    return _signer(found)


def fingerprint(public: str) -> str:
    """A public key as judges tell it each other."""
    digest = hashlib.sha256(public.encode()).hexdigest()
    return " ".join(digest[place : place + 4] for place in range(0, 16, 4))


def signer_of(name: str) -> Signer | None:
    """Who signs for a name on this machine; a key that cannot be unlocked raises an error."""
    if not has_key(name):
        return None
    if name not in _unlocked:
        _unlocked[name] = read_key(name)
    return _unlocked[name]


def key_state(name: str) -> KeyState:
    """Look for the key of a name; reads the disk."""
    try:
        return KeyState.NONE if signer_of(name) is None else KeyState.OPEN
    except ForensicViewerError:
        return KeyState.LOCKED


def unlock(name: str, *, passphrase: str) -> Signer:
    """Sign with a locked key from now on, for as long as the program runs."""
    _unlocked[name] = read_key(name, passphrase=passphrase)
    return _unlocked[name]


def has_key(name: str) -> bool:
    return _key_path(name).exists()


def signature_fault(content: Mapping[str, Any], key: str) -> str:
    """What is wrong with the signature of a line, by the key of its log; blank where it holds."""
    if content.get("key") != key or not isinstance(content.get("signature"), str):
        return "The line is not signed with the key of its log"
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        return "The signature cannot be checked: the package cryptography is not installed"
    unsigned = {name: value for name, value in content.items() if name != "signature"}
    try:
        public = Ed25519PublicKey.from_public_bytes(base64.b64decode(key, validate=True))
        signature = base64.b64decode(str(content["signature"]), validate=True)
        public.verify(signature, _bytes(unsigned))
    except (InvalidSignature, ValueError, binascii.Error):
        return "The signature does not match the line: the line was changed"
    return ""


def _signer(private: Ed25519PrivateKey) -> Signer:
    from cryptography.hazmat.primitives import serialization

    public = private.public_key().public_bytes(
        serialization.Encoding.Raw, serialization.PublicFormat.Raw
    )
    return Signer(base64.b64encode(public).decode(), private)


def _key_path(name: str) -> Path:
    return key_folder() / f"{name}.pem"


def _bytes(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode("utf-8", errors="backslashreplace")
