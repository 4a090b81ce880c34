# Questions of the guard's editor: the prompts and the keys. Mark and sequence number come first.
# The prompts are expanded in a copy of bash, so that they change nothing here. The texts are given, because they are
# those that were judged. The dot keeps newlines at the end.
__aegish_prompts() {
  builtin local text
  builtin printf '%s%s\0' "$1" "$2" >&@FD@
  for text in "${@:4}"; do
    text=$({
      builtin shopt -s promptvars
      builtin set +u
      __aegish_set "$3"
      builtin printf '%s.' "${text@P}"
    } @FD@>&- @TTY@<&-)
    builtin printf '%s\0' "$text" >&@FD@
  done
  builtin printf '\1END\0' >&@FD@
}
# The bindings of keys to functions, to texts and to commands.
__aegish_keys() {
  {
    builtin printf '%s%s\0' "$1" "$2"
    builtin bind -p
    builtin printf '\0'
    builtin bind -s
    builtin printf '\0'
    builtin bind -X
    builtin printf '\0\1END\0'
  } >&@FD@
}
# The state that no report has, as code: functions, those that are exported, options and arrays. Then what bash calls for
# completion.
__aegish_functions() {
  builtin local name
  builtin local -a names
  builtin mapfile -t names < <(builtin compgen -A function)
  for name in "${names[@]}"; do
    case $name in __aegish_* | bind) ;; *) builtin declare -f -- "$name" ;; esac
  done
}
__aegish_arrays() {
  builtin local name
  builtin local -a names
  builtin mapfile -t names < <(builtin compgen -A arrayvar)
  for name in "${names[@]}"; do
    case $name in
      __aegish_* | BASH_* | DIRSTACK | FUNCNAME | GROUPS | PIPESTATUS | name | names) ;;
      *) builtin declare -p -- "$name" ;;
    esac
  done
}
__aegish_state() {
  {
    builtin printf '%s%s\0' "$1" "$2"
    __aegish_functions
    builtin declare -Fx
    builtin shopt -p
    __aegish_arrays
    builtin printf '\0'
    builtin complete -p
    builtin printf '\0\1END\0'
  } >&@FD@
}
builtin readonly -f __aegish_prompts __aegish_keys __aegish_functions __aegish_arrays __aegish_state
