# The system's own completion, in a bash that has nothing of the session: index of the word, line, position, words.
# Files of the user are not read. The answer is `names` or `files` and the completions, or `session` and what the
# session's bash has to list, because only it knows its variables and jobs.
exec 3>&1 >/dev/null 2>&1 </dev/null
BASH_COMPLETION_USER_FILE=/dev/null BASH_COMPLETION_USER_DIR=/dev/null XDG_DATA_HOME=/dev/null
BASH_COMPLETION_COMPAT_DIR=/etc/bash_completion.d XDG_DATA_DIRS=/usr/local/share:/usr/share
COMP_CWORD=$1 COMP_LINE=$2 COMP_POINT=$3 COMP_TYPE=9 COMP_KEY=9 COMPREPLY=()
shift 3
COMP_WORDS=("$@")
cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} name=${COMP_WORDS[0]} kind=names
source /usr/share/bash-completion/bash_completion || exit
spec=$(complete -p -- "$name")
if [[ -z $spec ]]; then
  if declare -F _comp_load; then
    # It also looks beside the command.
    case $(type -P -- "$name") in
      '' | /usr/* | /bin/* | /sbin/* | /opt/* | /snap/*) _comp_load "$name" ;;
    esac
  elif declare -F _completion_loader; then
    _completion_loader "$name"
  fi
  spec=$(complete -p -- "$name")
fi
if [[ $spec =~ \ -F\ ([^ ]+)\  ]]; then
  function=${BASH_REMATCH[1]}
  [[ $spec == *filenames* ]] && kind=files
  "$function" "$name" "$cur" "$prev"
  (( $? == 124 )) && "$function" "$name" "$cur" "$prev"
  [[ -v COMPREPLY[0] && -e ${COMPREPLY[0]} ]] && kind=files
elif [[ -n $spec && $spec != *\ -[CGWX]\ * ]]; then
  kind=session
  spec=${spec#complete }
  COMPREPLY=(${spec% "$name"})
elif [[ $spec == *\ -W\ * ]]; then
  spec=${spec#complete }
  mapfile -t COMPREPLY < <(eval "compgen ${spec% "$name"} -- \"\$cur\"")
fi
printf '%s\0' "$kind" "${COMPREPLY[@]:0:2000}" >&3
