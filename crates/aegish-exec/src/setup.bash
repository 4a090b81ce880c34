# What the driver needs inside bash; @FD@ is filled in. Functions are read-only, so that no line can
# exchange them, and have names of their own, so that no line meets them by accident.
set +o history +o histexpand
history -c
unset HISTFILE MAILCHECK
export -n PS1 PS2
# Brings back $? and $_ before a line.
__aegish_set() { return "$1"; }
# Right behind a line: keeps its status, and the prompt it may have set from being shown.
__aegish_keep() {
  __aegish_left=$1
  if [[ -n ${PS1-} ]]; then __aegish_prompt=$PS1 PS1=; fi
}
# Reports: mark, sequence number, and the status if the line was interrupted before it could be kept.
__aegish_after() {
  builtin printf '%s%s\0%s\0%s\0' "$1" "$2" "${__aegish_left-$3}" "$PWD"
  builtin unset -v __aegish_left
  builtin declare -p
  builtin printf '\0'
  builtin alias -p
  builtin printf '\0END\0'
} >&@FD@
readonly -f __aegish_set __aegish_keep __aegish_after
:
