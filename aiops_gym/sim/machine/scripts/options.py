"""Options of the shells: what they are called, and whether they are on. Reference: Bash manual, 4.3."""

from __future__ import annotations

from aiops_gym.sim.machine.scripts.task import Task

LONG_OPTIONS = {
    "allexport": "a",
    "errexit": "e",
    "errtrace": "E",
    "functrace": "T",
    "noclobber": "C",
    "noexec": "n",
    "noglob": "f",
    "notify": "b",
    "nounset": "u",
    "verbose": "v",
    "xtrace": "x",
}
MODES = ("pipefail", "posix", "history", "monitor", "vi", "emacs", "privileged", "physical", "hashall", "braceexpand")
"""Options of `set -o` without a letter that matters here."""

ON = ("braceexpand", "hashall", "interactive-comments")
_SHOPTS = """
    autocd assoc_expand_once cdable_vars cdspell checkhash checkjobs checkwinsize* cmdhist* compat31 compat32 compat40
    compat41 compat42 compat43 compat44 complete_fullquote* direxpand dirspell dotglob execfail expand_aliases extdebug
    extglob extquote* failglob force_fignore* globasciiranges* globskipdots* globstar gnu_errfmt histappend histreedit
    histverify hostcomplete* huponexit inherit_errexit interactive_comments* lastpipe lithist localvar_inherit
    localvar_unset login_shell mailwarn no_empty_cmd_completion nocaseglob nocasematch noexpand_translation nullglob
    patsub_replacement* progcomp* progcomp_alias promptvars* restricted_shell shift_verbose sourcepath*
    varredir_close xpg_echo
"""
SHOPTS = {name.rstrip("*"): name.endswith("*") for name in _SHOPTS.split()}
"""Options of `shopt`, and whether they are on at the beginning."""


def is_on(task: Task, name: str) -> bool:
    """Whether an option of `set -o` is on."""
    if name in LONG_OPTIONS:
        return LONG_OPTIONS[name] in task.options
    return (name in task.modes) != (name in ON)
