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
