"""Functions that are written in the language itself."""

LIBRARY = r"""
def _modify(paths; update): reduce path(paths) as $p (.;
    label $out | (setpath($p; getpath($p) | update) | ., break $out), delpaths([$p]));
def map_values(f): .[] |= f;
def recurse(f): def r: ., (f | r); r;
def recurse(f; go): def r: ., (f | select(go) | r); r;
def recurse_down: recurse;
def del(f): delpaths([path(f)]);
def with_entries(f): to_entries | map(f) | from_entries;
def paths: path(..) | select(length > 0);
def paths(f): . as $whole | paths | select(. as $p | $whole | getpath($p) | f);
def leaf_paths: paths(scalars);
def pick(paths): . as $whole | reduce path(paths) as $p (null; setpath($p; $whole | getpath($p)));
def any(items; test): isempty(first(items | test | select(.))) | not;
def any(test): any(.[]; test);
def all(items; test): isempty(first(items | test | select(. | not)));
def all(test): all(.[]; test);
def isempty(items): label $out | (items | false, break $out), true;
def first(items): label $out | items | ., break $out;
def last(items): reduce items as $item (null; $item);
def nth($n; items): if $n < 0 then error("nth doesn't support negative indices") else last(limit($n + 1; items)) end;
def limit($n; items): if $n > 0 then label $out
    | foreach items as $item (0; . + 1; $item, if . >= $n then break $out else empty end)
    elif $n == 0 then empty else items end;
def skip($n; items): foreach items as $item ($n; . - 1; if . < 0 then $item else empty end);
def until(done; next): def go: if done then . else next | go end; go;
def while(test; next): def go: if test then ., (next | go) else empty end; go;
def repeat(next): def go: next, go; go;
def inputs: def go: input | (., go); try go catch if . == "break" then empty else error end;
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type | . == "array" or . == "object");
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def normals: select(isnormal);
def finites: select(isfinite);
def strings: select(type == "string");
def nulls: select(. == null);
def values: select(. != null);
def scalars: select(type | . != "array" and . != "object");
def scalars_or_empty: select((type | . != "array" and . != "object") or length == 0);
def in(whole): . as $key | whole | has($key);
def inside(whole): . as $part | whole | contains($part);
def combinations: if length == 0 then [] else .[0][] as $head | (.[1:] | combinations) as $tail | [$head] + $tail end;
def combinations($n): . as $items | [range($n)] | map($items) | combinations;
def walk(f): def go: if type == "object" then . as $whole
    | reduce keys_unsorted[] as $key ({}; . + {($key): ($whole[$key] | go)}) | f
    elif type == "array" then map(go) | f else f end; go;
def env: $ENV;
def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def todateiso8601: todate;
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(unit; n): . + n;
def datesub(unit; n): . - n;
def match($re; $flags): _match($re; $flags; false) | .[];
def match($re): _match($re; null; false) | .[];
def test($re; $flags): _match($re; $flags; true);
def test($re): _match($re; null; true);
def _captured: reduce (.captures[] | select(.name != null)) as $one ({}; . + {($one.name): $one.string});
def capture($re; $flags): match($re; $flags) | _captured;
def capture($re): match($re) | _captured;
def scan($re; $flags): match($re; "g" + $flags)
    | if (.captures | length) > 0 then [.captures[].string] else .string end;
def scan($re): scan($re; null);
def split($re; $flags): . as $text | [foreach (match($re; $flags + "g"), null) as $one ({at: 0};
    if $one == null then .part = $text[.at:]
    else .part = $text[.at:$one.offset] | .at = $one.offset + $one.length end; .part)];
def splits($re; $flags): split($re; $flags) | .[];
def splits($re): splits($re; null);
def sub($re; with; $flags): . as $text | [match($re; $flags)] as $found
    | def go($n): if $n == ($found | length) then "" else $found[$n] as $one
        | (if $n == 0 then 0 else $found[$n - 1] | .offset + .length end) as $from
        | ($one | _captured | with) as $new | $text[$from:$one.offset] + $new + go($n + 1) end;
    go(0) + (if $found == [] then $text else $text[($found[-1] | .offset + .length):] end);
def sub($re; with): sub($re; with; "");
def gsub($re; with; $flags): sub($re; with; $flags + "g");
def gsub($re; with): sub($re; with; "g");
def tostream: path(def go: (.[]? | go), .; go) as $p | getpath($p)
    | reduce path(.[]?) as $key ([$p, .]; [$p + $key]);
def fromstream(events): foreach events as $event ({done: false}; (if .done then {done: false} else . end) as $so
    | if $event | length == 2 then ($event[0] | length == 0) as $top
        | $so | setpath(["value"] + $event[0]; $event[1]) | .done = $top
      else $so | .done = ($event[0] | length == 1) end; if .done then .value else empty end);
def truncate_stream(events): . as $depth | null | events | . as $event
    | if ($event[0] | length) > $depth then setpath([0]; $event[0][$depth:]) else empty end;
def INDEX(rows; key): reduce rows as $row ({}; .[$row | key | tostring] |= $row);
def INDEX(key): INDEX(.[]; key);
def JOIN($index; key): [.[] | [., $index[key]]];
def JOIN($index; rows; key): rows | [., $index[key]];
def JOIN($index; rows; key; join): rows | [., $index[key]] | join;
def IN(rows): any(rows == .; .);
def IN(rows; other): any(rows == other; .);
def ascii: [.] | implode;
def first: .[0];
def last: .[-1];
def nth($n): .[$n];
def debug(message): (message | debug | empty), .;
def input_line_number: _lines;
def halt_error: halt_error(5);
def add(items): reduce items as $item (null; . + $item);
"""
"""Definitions, each of which may call those that stand anywhere else here."""
