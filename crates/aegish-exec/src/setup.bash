# What the driver needs inside bash; @FD@ is filled in. Functions are read-only, so that no line can
# exchange them, and have names of their own, so that no line meets them by accident.
set +o history +o histexpand
history -c
unset HISTFILE MAILCHECK
export -n PS1 PS2
# Brings back $? and $_ before a line, and whether it is traced.
__aegish_set() {
  if [[ -v __aegish_traced ]]; then builtin unset -v __aegish_traced; builtin set -x; fi
  return "$1"
}
# Right behind a line: keeps its status, and the prompt it may have set from being shown.
__aegish_keep() {
  __aegish_left=$1
  if [[ -n ${PS1-} ]]; then __aegish_prompt=$PS1 PS1=; fi
}
# Reports once per line: mark, sequence number, and the status if the line was interrupted before it could
# be kept.
__aegish_after() {
  if [[ $2 == "${__aegish_done-}" ]]; then return; fi
  builtin printf '%s%s\0%s\0%s\0' "$1" "$2" "${__aegish_left-$3}" "$PWD"
  builtin unset -v __aegish_left
  builtin declare -p
  builtin printf '\0'
  builtin alias -p
  builtin printf '\0END\0'
  __aegish_done=$2
  if [[ $- == *x* ]]; then __aegish_traced=1; builtin set +x; fi
} >&@FD@
# Waits until it is released, so that nothing is said while somebody types.
__aegish_wait() {
  builtin local go
  until [[ $1 == "${__aegish_released-}" ]]; do
    builtin read -r -t 1000000 -u @FD@ go || break
    __aegish_released=$go
  done
}
readonly -f __aegish_set __aegish_keep __aegish_after __aegish_wait
:
