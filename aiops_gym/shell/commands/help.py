"""`help`: what GNU bash says of its own commands."""

from __future__ import annotations

from fnmatch import fnmatchcase

from aiops_gym.clients.context import Context
from aiops_gym.types import Output

ALL = r"""GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)
These shell commands are defined internally.  Type `help' to see this list.
Type `help name' to find out more about the function `name'.
Use `info bash' to find out more about the shell in general.
Use `man -k' or `info' to find out more about commands not in this list.

A star (*) next to a name means that the command is disabled.

 job_spec [&]                            history [-c] [-d offset] [n] or hist>
 (( expression ))                        if COMMANDS; then COMMANDS; [ elif C>
 . filename [arguments]                  jobs [-lnprs] [jobspec ...] or jobs >
 :                                       kill [-s sigspec | -n signum | -sigs>
 [ arg... ]                              let arg [arg ...]
 [[ expression ]]                        local [option] name[=value] ...
 alias [-p] [name[=value] ... ]          logout [n]
 bg [job_spec ...]                       mapfile [-d delim] [-n count] [-O or>
 bind [-lpsvPSVX] [-m keymap] [-f file>  popd [-n] [+N | -N]
 break [n]                               printf [-v var] format [arguments]
 builtin [shell-builtin [arg ...]]       pushd [-n] [+N | -N | dir]
 caller [expr]                           pwd [-LP]
 case WORD in [PATTERN [| PATTERN]...)>  read [-ers] [-a array] [-d delim] [->
 cd [-L|[-P [-e]] [-@]] [dir]            readarray [-d delim] [-n count] [-O >
 command [-pVv] command [arg ...]        readonly [-aAf] [name[=value] ...] o>
 compgen [-abcdefgjksuv] [-o option] [>  return [n]
 complete [-abcdefgjksuv] [-pr] [-DEI]>  select NAME [in WORDS ... ;] do COMM>
 compopt [-o|+o option] [-DEI] [name .>  set [-abefhkmnptuvxBCEHPT] [-o optio>
 continue [n]                            shift [n]
 coproc [NAME] command [redirections]    shopt [-pqsu] [-o] [optname ...]
 declare [-aAfFgiIlnrtux] [name[=value>  source filename [arguments]
 dirs [-clpv] [+N] [-N]                  suspend [-f]
 disown [-h] [-ar] [jobspec ... | pid >  test [expr]
 echo [-neE] [arg ...]                   time [-p] pipeline
 enable [-a] [-dnps] [-f filename] [na>  times
 eval [arg ...]                          trap [-lp] [[arg] signal_spec ...]
 exec [-cl] [-a name] [command [argume>  true
 exit [n]                                type [-afptP] name [name ...]
 export [-fn] [name[=value] ...] or ex>  typeset [-aAfFgiIlnrtux] name[=value>
 false                                   ulimit [-SHabcdefiklmnpqrstuvxPRT] [>
 fc [-e ename] [-lnr] [first] [last] o>  umask [-p] [-S] [mode]
 fg [job_spec]                           unalias [-a] name [name ...]
 for NAME [in WORDS ... ] ; do COMMAND>  unset [-f] [-v] [-n] [name ...]
 for (( exp1; exp2; exp3 )); do COMMAN>  until COMMANDS; do COMMANDS-2; done
 function name { COMMANDS ; } or name >  variables - Names and meanings of so>
 getopts optstring name [arg ...]        wait [-fn] [-p var] [id ...]
 hash [-lr] [-p pathname] [-dt] [name >  while COMMANDS; do COMMANDS-2; done
 help [-dms] [pattern ...]               { COMMANDS ; }
"""
"""Of bash 5.2.15, eighty columns wide."""

COMMANDS = {
    ".": (". filename [arguments]", "Execute commands from a file in the current shell."),
    ":": (":", "Null command."),
    "[": ("[ arg... ]", "Evaluate conditional expression."),
    "alias": ("alias [-p] [name[=value] ... ]", "Define or display aliases."),
    "bg": ("bg [job_spec ...]", "Move jobs to the background."),
    "bind": (
        "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x "
        "keyseq:shell-command] [keyseq:readline-function or readline-command]",
        "Set Readline key bindings and variables.",
    ),
    "break": ("break [n]", "Exit for, while, or until loops."),
    "builtin": ("builtin [shell-builtin [arg ...]]", "Execute shell builtins."),
    "caller": ("caller [expr]", "Return the context of the current subroutine call."),
    "cd": ("cd [-L|[-P [-e]] [-@]] [dir]", "Change the shell working directory."),
    "command": ("command [-pVv] command [arg ...]", "Execute a simple command or display information about commands."),
    "compgen": (
        "compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] "
        "[-C command] [-X filterpat] [-P prefix] [-S suffix] [word]",
        "Display possible completions depending on the options.",
    ),
    "complete": (
        "complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] [-W wordlist] "
        "[-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [name ...]",
        "Specify how arguments are to be completed by Readline.",
    ),
    "compopt": ("compopt [-o|+o option] [-DEI] [name ...]", "Modify or display completion options."),
    "continue": ("continue [n]", "Resume for, while, or until loops."),
    "declare": (
        "declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]",
        "Set variable values and attributes.",
    ),
    "dirs": ("dirs [-clpv] [+N] [-N]", "Display directory stack."),
    "disown": ("disown [-h] [-ar] [jobspec ... | pid ...]", "Remove jobs from current shell."),
    "echo": ("echo [-neE] [arg ...]", "Write arguments to the standard output."),
    "enable": ("enable [-a] [-dnps] [-f filename] [name ...]", "Enable and disable shell builtins."),
    "eval": ("eval [arg ...]", "Execute arguments as a shell command."),
    "exec": (
        "exec [-cl] [-a name] [command [argument ...]] [redirection ...]",
        "Replace the shell with the given command.",
    ),
    "exit": ("exit [n]", "Exit the shell."),
    "export": ("export [-fn] [name[=value] ...] or export -p", "Set export attribute for shell variables."),
    "false": ("false", "Return an unsuccessful result."),
    "fc": (
        "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]",
        "Display or execute commands from the history list.",
    ),
    "fg": ("fg [job_spec]", "Move job to the foreground."),
    "getopts": ("getopts optstring name [arg ...]", "Parse option arguments."),
    "hash": ("hash [-lr] [-p pathname] [-dt] [name ...]", "Remember or display program locations."),
    "help": ("help [-dms] [pattern ...]", "Display information about builtin commands."),
    "history": (
        "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]",
        "Display or manipulate the history list.",
    ),
    "jobs": ("jobs [-lnprs] [jobspec ...] or jobs -x command [args]", "Display status of jobs."),
    "kill": (
        "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]",
        "Send a signal to a job.",
    ),
    "let": ("let arg [arg ...]", "Evaluate arithmetic expressions."),
    "local": ("local [option] name[=value] ...", "Define local variables."),
    "logout": ("logout [n]", "Exit a login shell."),
    "mapfile": (
        "mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]",
        "Read lines from the standard input into an indexed array variable.",
    ),
    "popd": ("popd [-n] [+N | -N]", "Remove directories from stack."),
    "printf": ("printf [-v var] format [arguments]", "Formats and prints ARGUMENTS under control of the FORMAT."),
    "pushd": ("pushd [-n] [+N | -N | dir]", "Add directories to stack."),
    "pwd": ("pwd [-LP]", "Print the name of the current working directory."),
    "read": (
        "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t "
        "timeout] [-u fd] [name ...]",
        "Read a line from the standard input and split it into fields.",
    ),
    "readarray": (
        "readarray [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]",
        "Read lines from a file into an array variable.",
    ),
    "readonly": ("readonly [-aAf] [name[=value] ...] or readonly -p", "Mark shell variables as unchangeable."),
    "return": ("return [n]", "Return from a shell function."),
    "set": (
        "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]",
        "Set or unset values of shell options and positional parameters.",
    ),
    "shift": ("shift [n]", "Shift positional parameters."),
    "shopt": ("shopt [-pqsu] [-o] [optname ...]", "Set and unset shell options."),
    "source": ("source filename [arguments]", "Execute commands from a file in the current shell."),
    "suspend": ("suspend [-f]", "Suspend shell execution."),
    "test": ("test [expr]", "Evaluate conditional expression."),
    "times": ("times", "Display process times."),
    "trap": ("trap [-lp] [[arg] signal_spec ...]", "Trap signals and other events."),
    "true": ("true", "Return a successful result."),
    "type": ("type [-afptP] name [name ...]", "Display information about command type."),
    "typeset": (
        "typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]",
        "Set variable values and attributes.",
    ),
    "ulimit": ("ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]", "Modify shell resource limits."),
    "umask": ("umask [-p] [-S] [mode]", "Display or set file mode mask."),
    "unalias": ("unalias [-a] name [name ...]", "Remove each NAME from the list of defined aliases."),
    "unset": ("unset [-f] [-v] [-n] [name ...]", "Unset values and attributes of shell variables and functions."),
    "wait": ("wait [-fn] [-p var] [id ...]", "Wait for job completion and return exit status."),
    "if": (
        "if COMMANDS; then COMMANDS; [ elif COMMANDS; then COMMANDS; ]... [ else COMMANDS; ] fi",
        "Execute commands based on conditional.",
    ),
    "case": (
        "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac",
        "Execute commands based on pattern matching.",
    ),
    "for": ("for NAME [in WORDS ... ] ; do COMMANDS; done", "Execute commands for each member in a list."),
    "select": ("select NAME [in WORDS ... ;] do COMMANDS; done", "Select words from a list and execute commands."),
    "while": ("while COMMANDS; do COMMANDS-2; done", "Execute commands as long as a test succeeds."),
    "until": ("until COMMANDS; do COMMANDS-2; done", "Execute commands as long as a test does not succeed."),
    "function": ("function name { COMMANDS ; } or name () { COMMANDS ; }", "Define shell function."),
    "time": ("time [-p] pipeline", "Report time consumed by pipeline's execution."),
    "coproc": ("coproc [NAME] command [redirections]", "Create a coprocess named NAME."),
}
"""Name -> how it is called, and what it does."""


def run(context: Context, argv: list[str]) -> Output:
    """`help [-dms] [PATTERN...]`."""
    words = [word for word in argv[1:] if not word.startswith("-")]
    flags = "".join(word[1:] for word in argv[1:] if word.startswith("-"))
    if not words:
        return Output(ALL)
    found = [name for name in COMMANDS if any(fnmatchcase(name, word) for word in words)]
    found = found or [name for name in COMMANDS if any(name.startswith(word) for word in words)]
    if not found:
        hint = f"Try `help help' or `man -k {words[-1]}' or `info {words[-1]}'."
        return Output("", f"bash: line 1: help: no help topics match `{words[-1]}'.  {hint}\n", 1)
    if "s" in flags:
        return Output("".join(f"{name}: {COMMANDS[name][0]}\n" for name in found))
    if "d" in flags:
        return Output("".join(f"{name} - {COMMANDS[name][1]}\n" for name in found))
    return Output("".join(f"{name}: {COMMANDS[name][0]}\n    {COMMANDS[name][1]}\n" for name in found))
