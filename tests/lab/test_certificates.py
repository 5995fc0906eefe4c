"""Certificates of the lab's servers and clients."""

from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from lab.certificates import Authority, Certificate, list_certificate_files


def read(certificate: Certificate) -> x509.Certificate:
    return x509.load_pem_x509_certificate(certificate.certificate)


def list_names(certificate: Certificate) -> list[str]:
    names = read(certificate).extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return [*names.get_values_for_type(x509.DNSName), *map(str, names.get_values_for_type(x509.IPAddress))]


def list_usages(certificate: Certificate) -> set[x509.ObjectIdentifier]:
    return {*read(certificate).extensions.get_extension_for_class(x509.ExtendedKeyUsage).value}


def test_an_authority_signs_servers_clients_and_peers_for_their_use_alone() -> None:
    authority = Authority("my-ca")
    server, client = ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH
    signed = {
        authority.sign_server("a.svc", "b.svc"): {server},
        authority.sign_client("robot"): {client},
        authority.sign_peer("a.svc"): {server, client},
    }
    for certificate, usages in signed.items():
        read(certificate).verify_directly_issued_by(read(authority.own))
        assert list_usages(certificate) == usages
    assert len({certificate.key for certificate in signed}) == 3


def test_a_server_has_all_its_names_and_the_address_of_this_machine() -> None:
    certificate = Authority("my-ca").sign_server("a.svc", "b.svc")
    assert list_names(certificate) == ["a.svc", "b.svc", "127.0.0.1"]
    assert read(certificate).subject.rfc4514_string() == "CN=a.svc"


def test_an_authority_signs_itself_and_says_that_it_is_an_authority() -> None:
    own = Authority("my-ca").own
    read(own).verify_directly_issued_by(read(own))
    assert read(own).extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert list_names(own) == ["my-ca"]


def test_the_files_of_a_certificate_have_the_names_of_a_secret() -> None:
    authority = Authority("my-ca")
    server = authority.sign_server("a.svc")
    files = list_certificate_files(authority.own, server)
    assert files == {"ca.crt": authority.own.certificate, "tls.crt": server.certificate, "tls.key": server.key}
