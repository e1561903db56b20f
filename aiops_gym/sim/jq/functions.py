"""Functions over values: `FUNCTIONS`, by name and how many arguments they take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from aiops_gym.sim.jq import dates, maths, regex
from aiops_gym.sim.jq.errors import Halted, JqError
from aiops_gym.sim.jq.formats import FORMATS, to_json, to_text
from aiops_gym.sim.jq.machine import CHARACTERS, Run
from aiops_gym.sim.jq.operators import add, split
from aiops_gym.sim.jq.paths import delete_paths, indices, is_number, look_up, set_path
from aiops_gym.sim.jq.reader import ReadError, load
from aiops_gym.sim.jq.values import equal, is_true, kind, number, sort_key, told
from aiops_gym.types import Json

Function = Callable[..., Json]


def _length(run: Run, value: Json) -> Json:
    if isinstance(value, str | list | dict):
        return len(value)
    if value is None:
        return 0
    if is_number(value):
        return abs(value)
    raise JqError(f"{told(value)} has no length")


def _bytes(run: Run, value: Json) -> Json:
    if not isinstance(value, str):
        raise JqError(f"{told(value)} only strings have UTF-8 byte length")
    return len(value.encode(errors="replace"))


def _keys(run: Run, value: Json) -> Json:
    if isinstance(value, dict):
        run.charge(len(value) // 4)
        return sorted(value)
    return _unsorted(run, value)


def _unsorted(run: Run, value: Json) -> Json:
    if isinstance(value, dict):
        return list(value)
    if isinstance(value, list):
        return list(range(len(value)))
    raise JqError(f"{told(value)} has no keys")


def _has(run: Run, value: Json, key: Json) -> Json:
    if isinstance(value, dict) and isinstance(key, str):
        return key in value
    if isinstance(value, list) and is_number(key):
        return 0 <= key < len(value)
    if value is None:
        return False
    raise JqError(f"Cannot check whether {kind(value)} has a {kind(key)} key")


def _contains(run: Run, value: Json, part: Json) -> Json:
    run.charge(1)
    if isinstance(value, dict) and isinstance(part, dict):
        return all(key in value and _inner(run, value[key], each) for key, each in part.items())
    if isinstance(value, list) and isinstance(part, list):
        return all(any(_inner(run, one, each) for one in value) for each in part)
    if isinstance(value, str) and isinstance(part, str):
        return part in value
    if kind(value) == kind(part):
        return equal(value, part)
    raise JqError(f"{told(value)} and {told(part)} cannot have their containment checked")


def _inner(run: Run, value: Json, part: Json) -> bool:
    return bool(_contains(run, value, part)) if kind(value) == kind(part) else False


def _add(run: Run, value: Json) -> Json:
    items = _items(value)
    run.charge(len(items))
    if items and all(type(each) is str for each in items):
        run.charge(sum(map(len, items)) // CHARACTERS)
        return "".join(items)
    found: Json = None
    for each in items:
        found = add(run, found, each)
    return found


def _items(value: Json) -> Sequence[Json]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return list(value.values())
    raise JqError(f"Cannot iterate over {told(value)}")


def _join(run: Run, value: Json, separator: Json) -> Json:
    items = _items(value)
    if not items:
        return ""
    found: Json = None
    for each in items:
        found = add(run, "" if found is None else found, separator if found is not None else None)
        found = add(run, found, "" if each is None else to_json(run, each) if _is_plain(each) else each)
    return found


def _is_plain(value: Json) -> bool:
    return isinstance(value, bool) or is_number(value)


def _flatten(run: Run, value: Json, depth: Json = 1e9) -> Json:
    if not is_number(depth):
        raise JqError("flatten depth must not be negative")
    if depth < 0:
        raise JqError("flatten depth must not be negative")
    found = list[Json]()
    left = [(each, depth) for each in reversed(_items(value))]
    while left:
        each, room = left.pop()
        run.charge(1)
        if isinstance(each, list) and room > 0:
            left += [(inner, room - 1) for inner in reversed(each)]
        else:
            found.append(each)
    run.made = True
    return found


def _ordered(run: Run, value: Json, keys: Json) -> list[tuple[Any, Json]]:
    if not isinstance(value, list):
        why = "it is not an array" if keys is value else "they are not both arrays"
        raise JqError(f"{told(value)}{'' if keys is value else f' and {told(keys)}'} cannot be sorted, as {why}")
    run.charge(len(value) * max(1, len(value).bit_length()) // 4)
    found = [(sort_key(key), each) for key, each in zip(keys, value, strict=True)]
    found.sort(key=lambda pair: pair[0])
    return found


def _sort(run: Run, value: Json, keys: Json = None) -> Json:
    return [each for _, each in _ordered(run, value, value if keys is None else keys)]


def _group(run: Run, value: Json, keys: Json) -> Json:
    run.made = True
    return [[each for _, each in group] for _, group in groupby(_ordered(run, value, keys), key=lambda pair: pair[0])]


def _unique(run: Run, value: Json, keys: Json) -> Json:
    return [group[0] for group in _group(run, value, keys)]


def _most(run: Run, value: Json, keys: Json, last: bool) -> Json:
    if not isinstance(value, list):
        raise JqError(f"{told(value)} and {told(keys)} cannot be iterated over")
    ordered = _ordered(run, value, keys)
    if not ordered:
        return None
    return ordered[-1][1] if last else ordered[0][1]


def _reverse(run: Run, value: Json) -> Json:
    if isinstance(value, list):
        return value[::-1]
    if value is None or (isinstance(value, str | dict) and not value):
        return []
    raise JqError(f"Cannot index {kind(value)} with number")


def _indices(run: Run, value: Json, part: Json) -> Json:
    if value is None:
        return None
    if isinstance(value, list) and isinstance(part, list):
        run.charge(len(value) * len(part) // 8)
        return indices(value, part)
    if isinstance(value, list):
        return [at for at, each in enumerate(value) if equal(each, part)]
    if isinstance(value, str) and isinstance(part, str):
        return [at for at in range(len(value)) if value.startswith(part, at)] if part else None
    return look_up(value, part)


def _edge(at: int) -> Function:
    def find(run: Run, value: Json, part: Json) -> Json:
        found = _indices(run, value, part)
        return found[at] if isinstance(found, list) and found else None

    return find


def _transpose(run: Run, value: Json) -> Json:
    rows = _items(value)
    if not rows and isinstance(value, dict):
        raise JqError("Range bounds must be numeric")
    width = max((len(row) for row in rows if isinstance(row, list)), default=0)
    run.charge(width * len(rows))
    return [[look_up(row, at) for row in rows] for at in range(width)]


def _entries(run: Run, value: Json) -> Json:
    keys = _unsorted(run, value)
    run.made = True
    return [{"key": key, "value": look_up(value, key)} for key in keys]


def _from_entries(run: Run, value: Json) -> Json:
    found: dict[str, Json] = {}
    for each in _items(value):
        key = next((k for name in ("key", "Key", "name", "Name") if is_true(k := look_up(each, name))), None)
        key = look_up(each, "Name") if key is None else key
        if key is None and isinstance(each, dict) and "k" in each:
            key = each["k"]
        if not isinstance(key, str):
            raise JqError(f"Cannot use {told(key)} as object key")
        where = "value" if _has(run, each, "value") else "Value"
        where = "v" if isinstance(each, dict) and where not in each and "v" in each else where
        found[key] = look_up(each, where)
    run.made = True
    return found


def _number(run: Run, value: Json) -> Json:
    if is_number(value):
        return value
    if not isinstance(value, str):
        raise JqError(f"{told(value)} cannot be parsed as a number")
    return _parsed(value)


def _parsed(text: str) -> Json:
    try:
        return load(text)
    except ReadError as error:
        raise JqError(f"{error} (while parsing '{text}')") from None


def _from_json(run: Run, value: Json) -> Json:
    if not isinstance(value, str):
        raise JqError(f"{told(value)} only strings can be parsed")
    run.charge(len(value) // CHARACTERS)
    return _parsed(value)


def _explode(run: Run, value: Json) -> Json:
    if not isinstance(value, str):
        raise JqError("explode input must be a string")
    run.charge(len(value) // 8)
    return [ord(char) for char in value]


def _implode(run: Run, value: Json) -> Json:
    if not isinstance(value, list):
        raise JqError("implode input must be an array")
    found = list[str]()
    for each in value:
        if not is_number(each):
            raise JqError(f"{told(each)} can't be imploded, unicode codepoint needs to be numeric")
        code = int(each)
        found.append(chr(code) if 0 <= code < 0xD800 or 0xDFFF < code < 0x110000 else "\ufffd")
    return "".join(found)


def _case(upper: bool) -> Function:
    def change(run: Run, value: Json) -> Json:
        if not isinstance(value, str):
            raise JqError("explode input must be a string")
        if value.isascii():
            return value.upper() if upper else value.lower()
        return "".join((c.upper() if upper else c.lower()) if c.isascii() else c for c in value)

    return change


def _strip(left: bool) -> Function:
    def strip(run: Run, value: Json, part: Json) -> Json:
        if not isinstance(value, str) or not isinstance(part, str):
            return value
        return value.removeprefix(part) if left else value.removesuffix(part)

    return strip


def _edges(name: str, left: bool) -> Function:
    def check(run: Run, value: Json, part: Json) -> Json:
        if not isinstance(value, str) or not isinstance(part, str):
            raise JqError(f"{name}() requires string inputs")
        return value.startswith(part) if left else value.endswith(part)

    return check


def _trim(name: str) -> Function:
    def trim(run: Run, value: Json) -> Json:
        if not isinstance(value, str):
            raise JqError(f"{told(value)} cannot be trimmed")
        return str(getattr(value, name)())

    return trim


def _split(run: Run, value: Json, separator: Json) -> Json:
    if not isinstance(value, str) or not isinstance(separator, str):
        raise JqError("split input and separator must be strings")
    run.charge(len(value) // 8)
    return split(value, separator)


def _negate(run: Run, value: Json, of: Json) -> Json:
    if not is_number(of):
        raise JqError(f"{told(of)} cannot be negated")
    return number(-of)


def _set_path(run: Run, value: Json, path: Json, new: Json) -> Json:
    if not isinstance(path, list):
        raise JqError("Path must be specified as an array")
    run.charge(len(path))
    run.made = True
    return set_path(value, path, new)


def _format(run: Run, value: Json, name: Json) -> Json:
    if not isinstance(name, str) or name not in FORMATS:
        raise JqError(f"{name if isinstance(name, str) else told(name)} is not a valid format")
    return FORMATS[name](run, value)


def _search(run: Run, value: Json, wanted: Json) -> Json:
    """Where a value is in a sorted array; where it would be, below zero, if it is not."""
    items = _items(value) if value is not None else ()
    key, low, high = sort_key(wanted), 0, len(items) - 1
    while low <= high:
        middle = (low + high) // 2
        found = sort_key(items[middle])
        if found == key:
            return middle
        low, high = (middle + 1, high) if found < key else (low, middle - 1)
    return -1 - low


def _halt(run: Run, value: Json) -> Json:
    raise Halted(None, 0)


def _halt_error(run: Run, value: Json, code: Json) -> Json:
    if not is_number(code):
        raise JqError("halt_error/1: number required")
    raise Halted(value, int(code))


def _debug(run: Run, value: Json) -> Json:
    run.note(f'["DEBUG:",{to_json(run, value)}]\n')
    return value


def _stderr(run: Run, value: Json) -> Json:
    run.note(to_json(run, value))
    return value


def _absolute(run: Run, value: Json) -> Json:
    if not is_number(value):
        raise JqError(f"{told(value)} has no absolute value")
    return abs(value)


def _replaced(run: Run, value: Json) -> Json:
    return value if isinstance(value, list) else [value]


FUNCTIONS: dict[tuple[str, int], Function] = {
    ("not", 0): lambda run, value: not is_true(value),
    ("true", 0): lambda run, value: True,
    ("false", 0): lambda run, value: False,
    ("null", 0): lambda run, value: None,
    ("type", 0): lambda run, value: kind(value),
    ("length", 0): _length,
    ("utf8bytelength", 0): _bytes,
    ("keys", 0): _keys,
    ("keys_unsorted", 0): _unsorted,
    ("has", 1): _has,
    ("contains", 1): _contains,
    ("add", 0): _add,
    ("any", 0): lambda run, value: any(map(is_true, _items(value))),
    ("all", 0): lambda run, value: all(map(is_true, _items(value))),
    ("join", 1): _join,
    ("flatten", 0): _flatten,
    ("flatten", 1): _flatten,
    ("sort", 0): _sort,
    ("_sort_by", 1): _sort,
    ("_group_by", 1): _group,
    ("_unique_by", 1): _unique,
    ("min", 0): lambda run, value: _most(run, value, value, False),
    ("max", 0): lambda run, value: _most(run, value, value, True),
    ("_min_by", 1): lambda run, value, keys: _most(run, value, keys, False),
    ("_max_by", 1): lambda run, value, keys: _most(run, value, keys, True),
    ("reverse", 0): _reverse,
    ("indices", 1): _indices,
    ("index", 1): _edge(0),
    ("rindex", 1): _edge(-1),
    ("transpose", 0): _transpose,
    ("to_entries", 0): _entries,
    ("from_entries", 0): _from_entries,
    ("tonumber", 0): _number,
    ("tostring", 0): to_text,
    ("tojson", 0): to_json,
    ("fromjson", 0): _from_json,
    ("explode", 0): _explode,
    ("implode", 0): _implode,
    ("ascii_downcase", 0): _case(False),
    ("ascii_upcase", 0): _case(True),
    ("ltrimstr", 1): _strip(True),
    ("rtrimstr", 1): _strip(False),
    ("startswith", 1): _edges("startswith", True),
    ("endswith", 1): _edges("endswith", False),
    ("trim", 0): _trim("strip"),
    ("ltrim", 0): _trim("lstrip"),
    ("rtrim", 0): _trim("rstrip"),
    ("split", 1): _split,
    ("_negate", 1): _negate,
    ("setpath", 2): _set_path,
    ("delpaths", 1): lambda run, value, paths: delete_paths(value, paths),
    ("format", 1): _format,
    ("bsearch", 1): _search,
    ("_match", 3): regex.match,
    ("halt", 0): _halt,
    ("halt_error", 1): _halt_error,
    ("debug", 0): _debug,
    ("stderr", 0): _stderr,
    ("abs", 0): _absolute,
    ("toarray", 0): _replaced,
    ("input_filename", 0): lambda run, value: run.filename,
    ("_lines", 0): lambda run, value: run.lines,
    ("get_search_list", 0): lambda run, value: ["~/.jq", "$ORIGIN/../lib/jq", "$ORIGIN/lib"],
    ("have_literal_numbers", 0): lambda run, value: False,
    ("have_decnum", 0): lambda run, value: False,
    **maths.FUNCTIONS,
    **dates.FUNCTIONS,
}
