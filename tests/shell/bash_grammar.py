"""Scripts drawn from what bash has beyond dash: arrays, double brackets, arithmetic, expansions, here-strings."""

from __future__ import annotations

from hypothesis import strategies as st

BEFORE = "x=ab:c y='a b' p=(a 'b c' 7); "
"""What every script finds."""

NAMES, ARRAYS = st.sampled_from(["x", "y", "z"]), st.sampled_from(["p", "q"])
TEXTS = st.sampled_from(["a", "b c", "", "*", "7", "a:b", "x=1", "-n", "a.txt", " lead", "$x", "\\n"])
PATTERNS = st.sampled_from(["a", "b", "?", "*", "[ab]", "a*", "*c", "'*'"])
INDICES = st.sampled_from(["0", "1", "-1", "@", "*", "i", "1+1"])
PLACES = st.integers(0, 3)
OPERATORS = st.sampled_from(["+", "-", "*", "<<", "&", "|", "^", "<", "==", "&&", "||", ",", "**"])

QUOTED = st.one_of(
    NAMES.map('"${}"'.format),
    st.builds('"${{{}:-{}}}"'.format, NAMES, st.sampled_from(["d", "$y"])),
    st.builds('"${{{}[{}]}}"'.format, ARRAYS, INDICES),
    ARRAYS.map('"${{!{}[@]}}"'.format),
    st.builds('"${{{}:{}:{}}}"'.format, NAMES, PLACES, PLACES),
    st.builds('"${{{}[@]:{}}}"'.format, ARRAYS, PLACES),
    st.builds('"${{{}/{}/{}}}"'.format, NAMES, PATTERNS.filter(lambda each: each != "*"), st.sampled_from(["", "Z"])),
    st.builds('"${{{}//{}/{}}}"'.format, NAMES, PATTERNS.filter(lambda each: each != "*"), st.sampled_from(["", "Z"])),
    st.builds('"${{{}{}}}"'.format, NAMES, st.sampled_from(["^", "^^", ",", ",,", "^^[ab]", "%b", "##*:", "%?"])),
    st.builds('"${{{}[@]{}}}"'.format, ARRAYS, st.sampled_from(["^^", "%?", "#a", "/a/Z"])),
    st.builds('"${{{}@{}}}"'.format, NAMES, st.sampled_from("QUuL")),
    st.sampled_from(['"$@"', '"$*"', '"${@:2}"', '"${x:+set}"', '"$(echo a b)"', "\"$'in'\""]),
)
UNQUOTED = st.one_of(
    NAMES.map("${}".format),
    ARRAYS.map("${{#{}[@]}}".format),
    NAMES.map("${{#{}}}".format),
    st.builds("$(({} {} {}))".format, st.sampled_from(["x[0]", "3", "p[2]", "10"]), OPERATORS, st.integers(1, 4)),
    st.builds(
        "{{{},{}}}{}".format, st.sampled_from("ab7"), st.sampled_from("1y"), st.sampled_from(["", "{1..3}", "k"])
    ),
    st.sampled_from(["$?", "$#", "$*", "$'a\\tb'", "$(echo in)", "`echo old`", "a*", "\\$x", '"x"y', "7"]),
)
WORDS = st.one_of(TEXTS.map("'{}'".format), QUOTED, UNQUOTED)
ONE = QUOTED.filter(lambda word: not {"@", "*"} & set(word))
LINES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
TESTS = st.one_of(
    st.builds("[[ {} {} {} ]]".format, QUOTED, st.sampled_from(["==", "!=", "=", "<", ">"]), PATTERNS),
    st.builds("[[ {} =~ {} ]]".format, QUOTED, st.sampled_from(["^a", "b$", "[0-9]+", "(a)(b)?", "."])),
    st.builds("[[ {} -{} {} ]]".format, st.integers(0, 9), st.sampled_from(["lt", "gt", "eq", "ne", "le"]), PLACES),
    st.builds("[[ -{} {} ]]".format, st.sampled_from("nzv"), st.sampled_from(["x", "$x", "p"])),
    st.sampled_from(["true", "false", "test -n a", "[ -f f ]", "! true", "((3 > 2))", "((0))"]),
)
SIMPLE = st.one_of(
    LINES.map("echo {}".format),
    LINES.map("printf '<%s>' {}".format),
    LINES.map("printf '%q ' {}".format),
    st.builds("{}=({})".format, ARRAYS, LINES),
    st.builds("{}+=({})".format, ARRAYS, LINES),
    st.builds("{}[{}]={}".format, ARRAYS, PLACES, ONE),
    st.builds("{}={}".format, NAMES, ONE),
    st.builds("read -r {} {} <<< {}".format, NAMES, NAMES, ONE),
    st.builds("read -ra {} <<< {}".format, ARRAYS, ONE),
    LINES.map("set -- {}".format),
    ONE.map("cat <<< {}".format),
    st.sampled_from(["shift 2>/dev/null || :", "IFS=:", "unset IFS", "unset 'p[0]'", "(exit 4)", "g a b", "((z++))"]),
    st.sampled_from(["echo ${PIPESTATUS[@]}", "mapfile -t q < <(printf 'a\\nb\\n')", "declare -p p 2>/dev/null"]),
    TESTS,
)


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("if {}; then {}; else {}; fi".format, TESTS, inner, inner),
        st.builds("for {} in {}; do {}; done".format, NAMES, LINES, inner),
        st.builds("for ((i=0; i<{}; i++)); do {}; done".format, PLACES, inner),
        st.builds("case {} in {}) {};; *) {};; esac".format, WORDS, PATTERNS, inner, inner),
        st.builds("{{ {}; }} | cat".format, inner),
        st.builds("( {}; {} )".format, inner, inner),
        st.builds("{} && {}".format, inner, inner),
        st.builds("{} || {}".format, inner, inner),
        st.builds("g() {{ {}; }}".format, inner),
        st.builds("{}; {}".format, inner, inner),
        st.builds("x=$( {} )".format, inner),
        st.builds("while read -r {}; do {}; done < <(printf 'a b\\nc\\n')".format, NAMES, inner),
    )


SCRIPTS = st.recursive(SIMPLE, _compound, max_leaves=6)

SOURCES = st.sampled_from(
    [
        *(
            "seq 1 12",
            "printf 'a b c\\nd e f\\n\\ng h\\n'",
            "echo hello world",
            "printf '%s\\n' b a c a",
            "cat f",
            "true",
        ),
        *("echo 'x:1:y'", "printf '3 q\\n10 r\\n2 s\\n'", "for i in 1 2 3; do echo l$i; done", "cat nofile", "false"),
        *("{ echo o; echo e >&2; }", "yes | head -4", "echo $((2 * 3)) ${#x} ${x:-d}"),
    ]
)
FILTERS = st.sampled_from(
    [
        *(
            "grep -v a",
            "grep -c a",
            "grep -E 'a|b'",
            "awk '{print $1}'",
            "awk 'NR>1{print $2,$1}'",
            "sort -k2",
            "sort -n",
        ),
        *("awk '{s+=$1} END{print s}'", "sort", "sort -r", "sort -u", "uniq -c", "uniq", "tail -n +2", "wc"),
        *("wc -l", "cut -c1-2", "cut -d' ' -f1", "tr a-z A-Z", "tr -d ' '", "sed 's/a/X/'", "sed -n '2,3p'", "tac"),
        *("rev", "xargs -n2 echo", "xargs -I{} echo '<{}>'", 'while read -r a b; do echo "$b:$a"; done', "cat -n"),
        *("tee o", "paste - -", "grep -o '[a-z]*'", "diff - <(seq 3)", "comm -12 - <(seq 1 12)", "mapfile -t m"),
        *('{ read x; echo "[$x]"; cat; }', "(cat; echo end)"),
    ]
)
ENDS = st.sampled_from(
    [
        *("", "", " 2>&1", " 2>/dev/null", "; echo $?", " || echo failed", " && echo ok", " > o2; wc -l < o2"),
        *("; echo ${PIPESTATUS[@]}", " >> log; tail -2 log", " &\nwait"),
    ]
)
AROUND = st.sampled_from(
    [
        *("{}", "{}", "{}", 'x=$({}\n); echo "$x" | head -5; echo ${{#x}}', "for i in 1 2; do {}\ndone"),
        *("if {}\nthen echo T; else echo F; fi", "set -e; {}\necho end", "f() {{ {}\n}}; f; f | wc -c"),
        *("trap 'echo bye' EXIT; ( {}\n)", "bash -c '#'; {}", "set -o pipefail; {}"),
    ]
)
PIPELINES = st.builds(
    lambda around, source, filters, end: around.format(" | ".join([source, *filters]) + end),
    AROUND,
    SOURCES,
    st.lists(FILTERS, max_size=3),
    ENDS,
)
"""Pipelines as people type them at a terminal, in what stands around them.

All read their input to its end: whether what writes to one who does not is ended depends on who is faster.
"""
