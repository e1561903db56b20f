"""Functions as bash shows them: `declare -f`, `type`."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.types import Json

STEP = "    "


def show_function(name: str, body: Json) -> str:
    """A function and its definition.

    >>> from aiops_gym.sim.machine.scripts.parser import parse
    >>> tree = parse("f() { echo hi | cat; }")[1][0][0][1][0][1][1][0]
    >>> show_function("f", tree[2])
    'f () \\n{ \\n    echo hi | cat\\n}\\n'
    """
    inner = body if body[0] == "group" else ["group", _only(body), []]
    ending = _redirections(inner[2])
    return f"{name} () \n{{ \n{_list(inner[1], STEP)}\n}}{ending}\n"


def show_list(node: Json) -> str:
    """Commands with what is between them, as `jobs` has it."""
    return _andor(node, "")


def show_command(command: Json) -> str:
    """A command as `BASH_COMMAND` has it."""
    return _command(command, "")


def _only(command: Json) -> Json:
    return ["list", [[["andor", [["", ["pipe", [command], False, ""]]]], False, 1]]]


def _list(node: Json, indent: str) -> str:
    found, between = "", indent
    for andor, background, *_ in node[1]:
        found += between + _andor(andor, indent)
        between = " & " if background else f"\n{indent}" if found.endswith("\n") else f";\n{indent}"
    return found + (" &" if between == " & " else "")


def _line(node: Json, indent: str) -> str:
    """A list on one line."""
    return "; ".join(_andor(each[0], indent) + (" &" if each[1] else "") for each in node[1])


def _andor(node: Json, indent: str) -> str:
    found = ""
    for sign, pipe in node[1]:
        _, stages, negated, timed = pipe
        text = " | ".join(_command(stage, indent) for stage in stages)
        text = f"{'! ' if negated else ''}{text}"
        found += f" {sign} {timed + ' ' if timed else ''}{text}" if sign else f"{timed + ' ' if timed else ''}{text}"
    return found


def _command(node: Json, indent: str) -> str:
    kind, deeper = node[0], indent + STEP
    if kind == "simple":
        texts = [*(_assignment(each) for each in node[1]), *map(show_word, node[2])]
        return " ".join(texts) + (_redirections(node[3]) if texts else _redirections(node[3]).lstrip())
    if kind == "function":
        return f"function {show_function(node[1], node[2]).rstrip()}".replace("\n", f"\n{indent}")
    if kind == "coprocess":
        return f"coproc {node[1]} {_command(node[2], indent)}"
    ending = _redirections(node[-1])
    if kind == "group":
        return f"{{ \n{_list(node[1], deeper)}\n{indent}}}{ending}"
    if kind == "subshell":
        return f"( {_line(node[1], indent)} ){ending}"
    if kind in ("while",):
        word = "until" if node[3] else "while"
        return f"{word} {_line(node[1], indent)}; do\n{_list(node[2], deeper)};\n{indent}done{ending}"
    if kind in ("for", "select"):
        words = " ".join(map(show_word, node[2])) if node[2] is not None else '"$@"'
        return f"{kind} {node[1]} in {words};\n{indent}do\n{_list(node[3], deeper)};\n{indent}done{ending}"
    if kind == "cfor":
        steps = "; ".join(show_word(step).strip() for step in node[1])
        return f"for (({steps}))\n{indent}do\n{_list(node[2], deeper)};\n{indent}done{ending}"
    if kind == "cond":
        return f"[[ {show_condition(node[1])} ]]{ending}"
    if kind == "arith":
        return f"(({show_word(node[1])})){ending}"
    return _if(node, indent) + ending if kind == "if" else _case(node, indent) + ending


def _if(node: Json, indent: str) -> str:
    deeper = indent + STEP
    condition, body = node[1][0]
    found = f"if {_line(condition, indent)}; then\n{_list(body, deeper)};\n"
    if len(node[1]) > 1:
        inner = _if(["if", node[1][1:], node[2]], deeper)
        return f"{found}{indent}else\n{deeper}{inner};\n{indent}fi"
    if node[2] is not None:
        found += f"{indent}else\n{_list(node[2], deeper)};\n"
    return f"{found}{indent}fi"


def _case(node: Json, indent: str) -> str:
    deeper = indent + STEP
    found = f"case {show_word(node[1])} in \n"
    for patterns, body, end in node[2]:
        lines = f"{_list(body, deeper + STEP)}\n" if body[1] else ""
        found += f"{deeper}{' | '.join(map(show_word, patterns))})\n{lines}{deeper}{end or ';;'}\n"
    return f"{found}{indent}esac"


def show_condition(node: Json) -> str:
    """What stands in `[[ ]]`."""
    kind, *rest = node
    if kind in ("or", "and"):
        return f"{show_condition(rest[0])} {'||' if kind == 'or' else '&&'} {show_condition(rest[1])}"
    if kind == "not":
        return f"! {show_condition(rest[0])}"
    if kind == "word":
        return f"-n {show_word(rest[0])}"
    if kind == "un":
        return f"{rest[0]} {show_word(rest[1])}"
    return f"{show_word(rest[1])} {rest[0]} {show_word(rest[2])}"


def _assignment(node: Json) -> str:
    name, index, added, value = node
    place = f"[{show_word(index)}]" if index is not None else ""
    if value and value[0] == "array":
        items = " ".join(
            (f"[{show_word(k)}]={show_word(w)}" if k is not None else show_word(w)) for k, _, w in value[1]
        )
        return f"{name}{place}{'+' if added else ''}=({items})"
    return f"{name}{place}{'+' if added else ''}={show_word(value)}"


def _redirections(nodes: Sequence[Json]) -> str:
    found = ""
    documents = ""
    for number, sign, word, *end in nodes:
        if end:
            found += f" {number if number != '0' else ''}{sign}{end[0]}"
            documents += f"\n{_plain(word)}{end[0].strip(chr(39))}\n"
            continue
        usual = "0" if sign[0] == "<" else "1"
        shown = number if number != usual or sign in (">&", "<&") else ""
        space = "" if sign in (">&", "<&") else " "
        found += f" {shown if sign[0] != '&' else ''}{sign}{space}{show_word(word)}"
    return found + documents


def _plain(word: Sequence[Json]) -> str:
    """A here-document as it is written."""
    return str(word[0][1]) if word[0][0] == "quo" else show_word(word[0][1])


def show_word(word: Sequence[Json]) -> str:
    """A word as it was written."""
    return "".join(map(_part, word))


def _part(part: Json) -> str:
    kind, value = part[0], part[1]
    if kind == "lit":
        return str(value)
    if kind == "quo":
        return f"\\{value}" if len(value) == 1 and not value.isalnum() else f"'{value}'"
    if kind == "dq":
        return f'"{show_word(value)}"'
    if kind == "til":
        return f"~{value}"
    if kind == "sub":
        return f"$({_line(value, '')})"
    if kind == "ari":
        return f"$(({show_word(value)}))"
    if kind == "pro":
        return f"{value}({_line(part[2], '')})"
    if kind == "brc":
        return show_word(value)
    if kind == "asg":
        return _assignment(value)
    return _parameter(part) if kind == "par" else str(value)


def _parameter(part: Json) -> str:
    _, name, index, operator, arguments, indirect = part
    if not operator and index is None and not indirect:
        return f"${name}" if not name.isdigit() or len(name) == 1 else f"${{{name}}}"
    place = "" if index is None else f"[{index if isinstance(index, str) else show_word(index)}]"
    head = f"{'!' if indirect else ''}{'#' if operator == 'len' else ''}{name}{place}"
    if operator in ("len", "keys"):
        return f"${{{head}}}"
    if operator.startswith("names"):
        return f"${{{head}{operator[5:]}}}"
    between = "/" if operator[:1] == "/" else ":"
    return f"${{{head}{operator}{between.join(map(show_word, arguments))}}}"
