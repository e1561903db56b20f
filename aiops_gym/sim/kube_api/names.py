"""What names, labels and ports may look like (apimachinery `validation`): each rule returns what is wrong, in words.

>>> validate_dns_subdomain("geo-5d9f"), validate_label_value("a b")[0][:26]
([], 'a valid label must be an e')
"""

from __future__ import annotations

import re

from aiops_gym import caches

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = f"{_LABEL}(\\.{_LABEL})*"
_LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE = f"({_QUALIFIED})?"
_KEY = "[-._a-zA-Z0-9]+"
_PORT = re.compile("^[-a-z0-9]+$")


def _wrong(message: str, pattern: str, *examples: str) -> str:
    shown = " or ".join(f"'{e}'" for e in examples)
    shown = shown.replace("' or '", "',  or '")
    return f"{message} (e.g. {shown}, regex used for validation is '{pattern}')"


def _length(value: str, limit: int) -> list[str]:
    return [f"must be no more than {limit} characters"] if len(value) > limit else []


SUBDOMAIN_TEXT = _wrong(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character",
    _SUBDOMAIN,
    "example.com",
)
LABEL_TEXT = _wrong(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
    "and must start and end with an alphanumeric character",
    _LABEL,
    "my-name",
    "123-abc",
)
LABEL_1035_TEXT = _wrong(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character",
    _LABEL_1035,
    "my-name",
    "abc-123",
)
VALUE_TEXT = _wrong(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character",
    _VALUE,
    "MyValue",
    "my_value",
    "12345",
)
QUALIFIED_TEXT = _wrong(
    "name part must consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character",
    _QUALIFIED,
    "MyName",
    "my.name",
    "123-abc",
)
KEY_TEXT = _wrong(
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    _KEY,
    "key.name",
    "KEY_NAME",
    "key-name",
)


@caches.function(4096, "matching a name with a pattern")
def _matches(pattern: str, value: str) -> bool:
    return re.fullmatch(pattern, value) is not None


def validate_dns_subdomain(value: str) -> list[str]:
    """Names of most objects."""
    return _length(value, 253) + ([] if _matches(_SUBDOMAIN, value) else [SUBDOMAIN_TEXT])


def validate_dns_label(value: str) -> list[str]:
    """Names of namespaces, containers and volumes."""
    return _length(value, 63) + ([] if _matches(_LABEL, value) else [LABEL_TEXT])


def validate_dns_label_1035(value: str) -> list[str]:
    """Names of Services."""
    return _length(value, 63) + ([] if _matches(_LABEL_1035, value) else [LABEL_1035_TEXT])


def validate_qualified_name(value: str) -> list[str]:
    """Keys of labels and annotations: `prefix/name`."""
    prefix, slash, name = value.rpartition("/")
    if "/" in prefix:
        text = QUALIFIED_TEXT.replace("name part must consist", "a qualified name must consist")
        return [text + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]
    faults = []
    if slash and not prefix:
        faults.append("prefix part must be non-empty")
    elif slash:
        faults += [f"prefix part {fault}" for fault in validate_dns_subdomain(prefix)]
    if not name:
        faults.append("name part must be non-empty")
    elif len(name) > 63:
        faults.append("name part must be no more than 63 characters")
    return faults if _matches(_QUALIFIED, name) else [*faults, QUALIFIED_TEXT]


def validate_label_value(value: str) -> list[str]:
    """Values of labels."""
    return _length(value, 63) + ([] if _matches(_VALUE, value) else [VALUE_TEXT])


def validate_env_name(value: str) -> list[str]:
    """Names of environment variables: since 1.32 any printable ASCII but `=`."""
    if not value or all(" " <= c <= "~" and c != "=" for c in value):
        return []
    return ["a valid environment variable name must consist only of printable ASCII characters other than '='"]


def validate_config_key(value: str) -> list[str]:
    """Keys in ConfigMaps and Secrets."""
    faults = _length(value, 253) + ([] if _matches(_KEY, value) else [KEY_TEXT])
    if value in (".", "..") or value.startswith(".."):
        faults.append(f"must not be '{value}'" if value in (".", "..") else "must not start with '..'")
    return faults


def validate_port_number(value: int) -> list[str]:
    """Numbers of ports."""
    return [] if 1 <= value <= 65535 else ["must be between 1 and 65535, inclusive"]


def validate_port_name(value: str) -> list[str]:
    """Names of ports (IANA service names)."""
    faults = []
    if len(value) > 15:
        faults.append("must be no more than 15 characters")
    if not _PORT.match(value):
        faults.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", value):
        faults.append("must contain at least one letter (a-z)")
    if "--" in value:
        faults.append("must not contain consecutive hyphens")
    if value[:1] == "-" or value[-1:] == "-":
        faults.append("must not begin or end with a hyphen")
    return faults
