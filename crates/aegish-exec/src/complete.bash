# Loads bash-completion, or the completion of a command, from the directories of the system alone: nobody judged what
# is in those of the user.
__aegish_load() {
  local BASH_COMPLETION_USER_FILE=/dev/null BASH_COMPLETION_USER_DIR=/dev/null XDG_DATA_HOME=/dev/null \
    BASH_COMPLETION_COMPAT_DIR=/etc/bash_completion.d XDG_DATA_DIRS=/usr/local/share:/usr/share || return
  if [[ $# == 0 ]]; then
    builtin source /usr/share/bash-completion/bash_completion
  elif builtin declare -F _comp_load >/dev/null; then
    # It also looks beside the command.
    case $(builtin type -P -- "$1") in
      '' | /usr/* | /bin/* | /sbin/* | /opt/* | /snap/*) _comp_load "$1" ;;
    esac
  elif builtin declare -F _completion_loader >/dev/null; then
    _completion_loader "$1"
  fi
}
readonly -f __aegish_load
# Bash's own completion, asked from outside: mark, sequence number, index of the word, then the words.
# What a completion function prints is not wanted; what it leaves in COMPREPLY is.
__aegish_complete() {
  local mark=$1 sequence=$2 COMP_CWORD=$3 COMP_LINE=$4 COMP_POINT=$5 COMP_TYPE=9 COMP_KEY=9
  local -a COMP_WORDS COMPREPLY=()
  shift 5
  COMP_WORDS=("$@")
  local cur=${COMP_WORDS[COMP_CWORD]} prev= name=${COMP_WORDS[0]}
  (( COMP_CWORD )) && prev=${COMP_WORDS[COMP_CWORD-1]}
  local kind=files spec function
  if [[ $cur == '$'* ]]; then
    kind=variables
    builtin mapfile -t COMPREPLY < <(builtin compgen -v -P '$' -- "${cur#\$}")
  elif (( COMP_CWORD == 0 )) && [[ $cur != */* ]]; then
    kind=words
    builtin mapfile -t COMPREPLY < <(builtin compgen -A alias -A function -A builtin -A keyword -A command -- "$cur" | builtin command sort -u)
  elif (( COMP_CWORD )); then
    if [[ ! -v BASH_COMPLETION_VERSINFO && -r /usr/share/bash-completion/bash_completion ]]; then
      __aegish_load
    fi
    spec=$(builtin complete -p -- "$name")
    if [[ -z $spec ]]; then
      __aegish_load "$name"
      spec=$(builtin complete -p -- "$name")
    fi
    if [[ $spec =~ \ -F\ ([^ ]+)\  ]]; then
      kind=words
      function=${BASH_REMATCH[1]}
      [[ $spec == *filenames* ]] && kind=files
      "$function" "$name" "$cur" "$prev"
      (( $? == 124 )) && "$function" "$name" "$cur" "$prev"
      (( ${#COMPREPLY[@]} )) && [[ -v COMPREPLY[0] ]] && [[ -e ${COMPREPLY[0]} ]] && kind=files
    elif [[ $spec == *' -W '* || $spec == *' -A '* ]]; then
      kind=words
      spec=${spec#complete }
      spec=${spec% *}
      builtin mapfile -t COMPREPLY < <(builtin eval "builtin compgen $spec -- \"\$cur\"")
    fi
  fi
  if (( ${#COMPREPLY[@]} == 0 )) && [[ $kind != variables ]]; then
    kind=files
    builtin mapfile -t COMPREPLY < <(builtin compgen -f -- "$cur")
  fi
  builtin printf '%s%s\0%s\0' "$mark" "$sequence" "$kind" >&@FD@
  (( ${#COMPREPLY[@]} )) && builtin printf '%s\0' "${COMPREPLY[@]:0:2000}" >&@FD@
  builtin printf '\1END\0' >&@FD@
} 
readonly -f __aegish_complete
