# What the driver needs inside bash. Behind these lines functions may have any name, so each builtin is called by `builtin`.
# @FD@, @GATE@ and @REPORT@ are filled in. Functions are read-only, so that no line can exchange them,
# and have names of their own, so that no line meets them by accident.
set +o history +o histexpand
history -c
unset HISTFILE MAILCHECK
export -n PS1 PS2
# A start file that reads bash-completion must not read a file along with it that nobody judged.
BASH_COMPLETION_USER_FILE=/dev/null
# Bash shows these prompts nowhere: they are empty whenever it reads, and the guard has them expanded when it shows one.
# Without `promptvars` bash never runs code in one that a line set and was interrupted before it came to its end.
shopt -u promptvars
__aegish_ps1='\s-\v\$ ' __aegish_ps2='> '
# Behind the check the function is left by an error, which bash answers by going on: if it returned, a RETURN trap
# could run between the check and the reading.
__aegish_gate() {
  until [[ -o interactive-comments && :$BASHOPTS: != *:localvar_inherit:* && ! -v MAILCHECK && @GATE@ && -z ${__aegish_never:?} ]] 2>/dev/null; do
    # Some of these names may mean something else by now. If all do, bash is stuck here and reads nothing.
    builtin kill -KILL "$$"
    builtin exit 1
    builtin exec /bin/false
    kill -KILL "$$"
    exit 1
  done
}
# Reads further definitions without aliases, which would change what words in them mean.
__aegish_define() {
  if [[ :$BASHOPTS: != *:expand_aliases:* ]]; then
    builtin eval "$1"
    builtin return
  fi
  builtin shopt -u expand_aliases
  builtin eval "$1"
  builtin shopt -s expand_aliases
}
# Behind a line: comments stay comments, as in what the guard reads; local variables of the guard's code have no attributes
# of a line's; and bash looks for no mail, whose message it would expand before it reads. The gate checks all three.
__aegish_restore() {
  builtin shopt -s interactive_comments
  builtin shopt -u localvar_inherit
  builtin unset -v MAILCHECK || builtin :
}
# Not by the environment: bash would run it before there is a PIPESTATUS, and keep that empty.
PROMPT_COMMAND='\__aegish_gate'
# Stands before a line that is traced, and behind every one: what the line itself left is only known there.
__aegish_head=$'{ \\builtin set -x; } 2>/dev/null\n'
__aegish_tail=$'\n{ \\__aegish_keep "$?" "$_" "${PIPESTATUS[@]}"; } 2>/dev/null'
# Before a line: hides the descriptors of the driver, and brings back $? and $_. Bash lets `exec` keep its redirections
# only if it is called by this name or behind `command`.
__aegish_set() {
  \command exec @TTY@<&- @FD@>&-
  builtin return "$1"
}
# Keeps what a line left: status, last word, the statuses of its last pipe.
__aegish_keep() {
  __aegish_left=$1 __aegish_word=$2
  builtin shift 2
  builtin printf -v __aegish_pipe '%s ' "$@"
}
# Before a line that may read or change the prompts. `printf -v` fails quietly if one is read-only.
__aegish_give() {
  builtin printf -v PS1 %s "$__aegish_ps1"
  builtin printf -v PS2 %s "$__aegish_ps2"
  __aegish_given=1
}
# Behind a line: keeps the prompts that it may have set, and empties them.
__aegish_take() {
  if [[ -n ${PS1-}${__aegish_given-} ]]; then __aegish_ps1=${PS1-}; fi
  if [[ -n ${PS2-}${__aegish_given-} ]]; then __aegish_ps2=${PS2-}; fi
  __aegish_given=
  builtin printf -v PS1 '' || builtin :
  builtin printf -v PS2 '' || builtin :
}
# Behind a line that was interrupted bash has shown the prompt, which may have several lines.
__aegish_erase() {
  builtin set -- "$PS1"
  builtin printf '\r\e[K'
  while [[ $1 == *'\n'* ]]; do
    builtin printf '\e[A\e[K'
    builtin set -- "${1#*'\n'}"
  done
} >&@TTY@
# Bash with an editor of its own does not come to the gate when it reads from anything but a terminal. So the keys that a
# line chose are kept for the guard's editor, and bash's is switched off: in a file that is sourced, because elsewhere
# bash would open its input anew.
__aegish_unedited() {
  builtin local "status=$?"
  case :$SHELLOPTS: in
    *:vi:*) __aegish_mode=vi ;;
    *:emacs:*) __aegish_mode=emacs ;;
    *) builtin return "$status" ;;
  esac
  builtin . /dev/fd/@SCRIPT@ @SCRIPT@<<<'\builtin set +o vi +o emacs'
  until [[ :$SHELLOPTS: != *:@(vi|emacs):* ]]; do
    builtin kill -KILL "$$"
    builtin exit 1
    kill -KILL "$$"
  done
  builtin return "$status"
}
# Before a line that may choose keys, in the file that is sourced: it finds those that were chosen before.
__aegish_choice() {
  builtin local "status=$?"
  if [[ -n ${__aegish_mode-} ]]; then builtin set -o "$__aegish_mode"; fi
  __aegish_mode=
  builtin return "$status"
}
__aegish_chosen=$'{ \\__aegish_choice; } 2>/dev/null\n'
# Behind a line that may have ended before it was kept what it left.
__aegish_close() {
  if [[ ! -v __aegish_left ]]; then __aegish_left=$1; fi
  __aegish_take
  __aegish_restore
  # The gate comes next. It is not to be traced, and its error is not to end bash.
  __aegish_flags=$-
  builtin set +exH
}
# Keys are those of the guard's editor, which asks what is bound when this number changes. Bash's own `bind` warns each
# time that it has no editor.
bind() {
  __aegish_bound=$(( ${__aegish_bound-0} + 1 ))
  builtin bind "$@" 2>/dev/null || { builtin printf 'bash: bind: %s: not understood\n' "$*" >&2; builtin return 1; }
}
# On a line of its own behind every line, which may have been interrupted. Fails never, because of `set -e`.
__aegish_behind() {
  builtin local "status=$?"
  if [[ ! -v __aegish_left ]]; then __aegish_left=$status; fi
  __aegish_unedited
  if [[ -n ${PS1-} ]]; then __aegish_erase; fi
  __aegish_take
  __aegish_restore
  builtin :
}
# Reports once per line: mark, sequence number, the status if nothing was kept of an interrupted line, `all` or `some`
# variables, and the names of these. Which ones a line can change is known before it runs; to list all of them takes
# longer with each that was ever set.
# Fails if a part of it cannot be said, so that the guard sees that bash no longer answers.
__aegish_after() {
  if [[ $2 == "${__aegish_done-}" ]]; then builtin return; fi
  if [[ -n ${PS1-} ]]; then __aegish_erase; fi
  __aegish_take
  builtin eval : && builtin printf '%s%s\0' "$1" "$2" &&
    builtin printf '%s\0' "${__aegish_left-$3}" "${__aegish_word-}" "${__aegish_pipe-}" \
      "${__aegish_flags-$-}" "$PWD" "$4" &&
    builtin unset -v __aegish_left __aegish_word __aegish_pipe __aegish_flags &&
    builtin set +exH &&
    case $4 in
      some) { builtin declare -p -- "${@:5}" || builtin :; } && builtin printf '\0' ;;
      *) builtin declare -p && builtin printf '\0' && builtin alias -p ;;
    esac &&
    builtin printf '\0END\0' &&
    __aegish_done=$2
} >&@FD@
# Waits until it is released, so that nothing is said while somebody types.
__aegish_wait() {
  until [[ $1 == "${__aegish_released-}" ]]; do
    # Elsewhere no answer would come.
    if [[ ! @REPORT@ ]]; then break; fi
    # Unlike `read`, it depends on no variable of a line: not on IFS, REPLY or TMOUT.
    __aegish_go=()
    builtin mapfile -t -n 1 -u @FD@ __aegish_go || break
    # The guard's answers are never empty.
    if [[ -z ${__aegish_go-} ]]; then break; fi
    __aegish_released=$__aegish_go
  done
}
readonly __aegish_head __aegish_tail __aegish_chosen PROMPT_COMMAND
readonly -f __aegish_define __aegish_restore __aegish_gate __aegish_set __aegish_keep __aegish_give __aegish_take __aegish_erase __aegish_unedited \
  __aegish_choice __aegish_close __aegish_behind \
  __aegish_after __aegish_wait bind
:
