# Completion in the session's bash. Nothing here runs code that was not judged: `compgen` and `complete -p` only list
# names, and the code that is called comes with a permit. Mark and sequence number come first.
# The names of a kind that begin with a text: the text, then what `compgen` is asked for.
__aegish_names() {
  {
    builtin printf '%s%s\0' "$1" "$2"
    builtin compgen "${@:4}" -- "$3"
    builtin printf '\0\1END\0'
  } >&@FD@
}
# How a command is completed, as code.
__aegish_spec() {
  {
    builtin printf '%s%s\0' "$1" "$2"
    builtin complete -p -- "$3"
    builtin printf '\0\1END\0'
  } >&@FD@
}
# Runs judged code as bash does for a completion: index of the word, line, position, `function` or `list`, the code, the
# words. In a copy of bash, so that it changes nothing here. The variables are unset before, because attributes would change
# what is assigned.
__aegish_call() {
  __aegish_reply=$({
    builtin unset -v COMP_WORDS COMP_CWORD COMP_LINE COMP_POINT COMP_TYPE COMP_KEY COMPREPLY || builtin exit
    COMP_CWORD=$3 COMP_LINE=$4 COMP_POINT=$5 COMP_TYPE=9 COMP_KEY=9 COMP_WORDS=("${@:8}") COMPREPLY=()
    case $6 in
      function)
        builtin eval "$7" >/dev/null
        if (( ${#COMPREPLY[@]} )); then builtin printf '%s\n' "${COMPREPLY[@]:0:2000}"; fi
        ;;
      *) builtin eval "$7" ;;
    esac
  } @FD@>&- @TTY@<&-)
  builtin printf '%s%s\0%s\0\1END\0' "$1" "$2" "$__aegish_reply" >&@FD@
}
builtin readonly -f __aegish_names __aegish_spec __aegish_call
