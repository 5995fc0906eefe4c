"""A certificate authority of one webhook server, and the certificate of the server."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_VALID = timedelta(days=365)
"""Kueue makes certificates of its own if these end within 90 days."""
_LOOPBACK = x509.IPAddress(IPv4Address("127.0.0.1"))


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate and its key, as PEM."""

    certificate: bytes
    key: bytes


def build_certificates(authority: str, server: str) -> tuple[Certificate, Certificate]:
    """Return an authority, and the certificate of a server that listens on 127.0.0.1.

    Args:
        authority: Name of the authority, which the authority's own certificate holds as a DNS name too.
        server: DNS name of the server.
    """
    root, key = _build_key(), _build_key()
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, authority)])
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, server)])
    own = _begin(name, name, root, x509.DNSName(authority)).add_extension(x509.BasicConstraints(True, None), True)
    served = _begin(subject, name, key, x509.DNSName(server), _LOOPBACK).add_extension(
        x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False
    )
    return _sign(own, root, root), _sign(served, key, root)


def _build_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _begin(
    subject: x509.Name, issuer: x509.Name, key: rsa.RSAPrivateKey, *names: x509.GeneralName
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + _VALID)
        .add_extension(x509.SubjectAlternativeName(names), False)
    )


def _sign(certificate: x509.CertificateBuilder, key: rsa.RSAPrivateKey, root: rsa.RSAPrivateKey) -> Certificate:
    encoding = serialization.Encoding.PEM
    # Kueue reads keys of PKCS #1 only.
    form, open_ = serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    signed = certificate.sign(root, hashes.SHA256())
    return Certificate(signed.public_bytes(encoding), key.private_bytes(encoding, form, open_))
