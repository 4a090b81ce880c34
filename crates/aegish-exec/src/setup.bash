# What the driver needs inside bash; @FD@ is filled in. Functions are read-only, so that no line can
# exchange them, and have names of their own, so that no line meets them by accident.
set +o history +o histexpand
unset HISTFILE MAILCHECK
export -n PS1 PS2
__aegish_done=0
# Brings back $? and $_ before a line.
__aegish_set() { return "$1"; }
# Reports once per line: mark, sequence number, $?, $_.
__aegish_after() {
  [[ $2 == "$__aegish_done" ]] && return "$3"
  if [[ -n $PS1 ]]; then __aegish_prompt=$PS1 PS1=; fi
  builtin printf '%s%s\0%s\0%s\0%s\0%s\0%s\0END\0' "$1" "$2" "$3" "$4" "$PWD" "$(builtin declare -p)" "$(builtin alias -p)" >&@FD@
  __aegish_done=$2
  return "$3"
}
readonly -f __aegish_set __aegish_after
:
