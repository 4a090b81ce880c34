#!/usr/bin/env bash
# Installs "nodeup", a manager of Node.js versions, below the home directory. Nothing runs before the last line.
{
set -o pipefail

nodeup_has() {
  type "$1" > /dev/null 2>&1
}

nodeup_say() {
  command printf '%s\n' "$*" 2> /dev/null
}

nodeup_dir() {
  if [ -n "${NODEUP_DIR-}" ]; then
    printf %s "${NODEUP_DIR}"
  elif [ -n "${XDG_DATA_HOME-}" ]; then
    printf %s "${XDG_DATA_HOME}/nodeup"
  else
    printf %s "${HOME}/.nodeup"
  fi
}

nodeup_latest() {
  printf %s "v2.4.1"
}

nodeup_source() {
  local what="${1-}"
  case "$what" in
    script) printf %s "https://raw.githubusercontent.com/nodeup-sh/nodeup/$(nodeup_latest)/nodeup.sh" ;;
    exec) printf %s "https://raw.githubusercontent.com/nodeup-sh/nodeup/$(nodeup_latest)/nodeup-exec" ;;
    git) printf %s "https://github.com/nodeup-sh/nodeup.git" ;;
    *)
      nodeup_say >&2 "Unexpected value \"$what\""
      return 1
      ;;
  esac
}

nodeup_download() {
  if nodeup_has "curl"; then
    curl --fail --compressed -q "$@"
  elif nodeup_has "wget"; then
    local arguments
    arguments=$(printf '%s ' "$@" | command sed -e 's/--progress-bar /--progress=bar /' \
      -e 's/--compressed //' -e 's/--fail //' -e 's/-L //' -e 's/-s /-q /' -e 's/-o /-O /' -e 's/-C - /-c /')
    # shellcheck disable=SC2086
    wget $arguments
  fi
}

nodeup_install_from_git() {
  local dir
  dir="$(nodeup_dir)"
  if [ -d "$dir/.git" ]; then
    nodeup_say "=> nodeup is already installed in $dir, trying to update it with git"
    command git --git-dir="$dir/.git" --work-tree="$dir" fetch origin tag "$(nodeup_latest)" --depth=1 2> /dev/null || {
      nodeup_say >&2 "Failed to update nodeup, run 'git fetch' in $dir yourself."
      exit 1
    }
  else
    nodeup_say "=> Downloading nodeup from git to '$dir'"
    command mkdir -p "$dir"
    command git clone "$(nodeup_source git)" --depth=1 "$dir" || {
      nodeup_say >&2 'Failed to clone the repository. Please report this!'
      exit 2
    }
  fi
  command git --git-dir="$dir/.git" --work-tree="$dir" checkout -f --quiet "$(nodeup_latest)"
  if [ -n "$(command git --git-dir="$dir/.git" --work-tree="$dir" show-ref refs/heads/main)" ]; then
    if command git --git-dir="$dir/.git" --work-tree="$dir" branch --quiet 2> /dev/null; then
      command git --git-dir="$dir/.git" --work-tree="$dir" branch --quiet -D main > /dev/null 2>&1
    fi
  fi
  nodeup_say "=> Compressing and cleaning up the git repository"
  command git --git-dir="$dir/.git" --work-tree="$dir" gc --auto --prune=now ||
    nodeup_say >&2 "Your version of git is out of date. Please update it!"
}

nodeup_install_as_script() {
  local dir
  dir="$(nodeup_dir)"
  mkdir -p "$dir"
  if [ -f "$dir/nodeup.sh" ]; then
    nodeup_say "=> nodeup is already installed in $dir, trying to update the script"
  else
    nodeup_say "=> Downloading nodeup as a script to '$dir'"
  fi
  nodeup_download -s "$(nodeup_source script)" -o "$dir/nodeup.sh" || {
    nodeup_say >&2 "Failed to download '$(nodeup_source script)'"
    return 1
  } &
  nodeup_download -s "$(nodeup_source exec)" -o "$dir/nodeup-exec" || {
    nodeup_say >&2 "Failed to download '$(nodeup_source exec)'"
    return 2
  } &
  for job in $(jobs -p | command sort); do
    wait "$job" || return $?
  done
  chmod a+x "$dir/nodeup-exec" || {
    nodeup_say >&2 "Failed to mark '$dir/nodeup-exec' as executable"
    return 3
  }
}

nodeup_try_profile() {
  if [ -z "${1-}" ] || [ ! -f "${1}" ]; then
    return 1
  fi
  nodeup_say "${1}"
}

nodeup_detect_profile() {
  if [ "${PROFILE-}" = '/dev/null' ]; then
    return
  fi
  if [ -n "${PROFILE}" ] && [ -f "${PROFILE}" ]; then
    nodeup_say "${PROFILE}"
    return
  fi
  local found
  found=''
  case "${SHELL##*/}" in
    bash)
      if [ -f "$HOME/.bashrc" ]; then
        found="$HOME/.bashrc"
      elif [ -f "$HOME/.bash_profile" ]; then
        found="$HOME/.bash_profile"
      fi
      ;;
    zsh) found="$HOME/.zshrc" ;;
  esac
  if [ -z "$found" ]; then
    for each in ".profile" ".bashrc" ".bash_profile" ".zshrc"; do
      if found="$(nodeup_try_profile "${HOME}/${each}")"; then
        break
      fi
    done
  fi
  if [ -n "$found" ]; then
    nodeup_say "$found"
  fi
}

nodeup_check_global_modules() {
  local npm_command
  npm_command="$(command -v npm 2> /dev/null)" || return 0
  [ -n "${NODEUP_DIR}" ] && [ -z "${npm_command%%"$NODEUP_DIR"/*}" ] && return 0
  local version
  version=$(npm --version)
  version=${version:--1}
  [ "${version%%[!-0-9]*}" -gt 0 ] || return 0
  local modules
  modules="$(npm list -g --depth=0 | command sed -e '/ npm@/d' -e '/ (empty)$/d')"
  if [ -n "${modules}" ]; then
    nodeup_say '=> You have modules installed globally with npm. They will not be seen by nodeup.'
    command printf %s\\n "$modules"
  fi
}

nodeup_do_install() {
  if [ -n "${NODEUP_DIR-}" ] && ! [ -d "${NODEUP_DIR}" ]; then
    if [ -e "${NODEUP_DIR}" ]; then
      nodeup_say >&2 "File \"${NODEUP_DIR}\" has the same name as the installation directory."
      exit 1
    fi
  fi
  if nodeup_has git; then
    nodeup_install_from_git
  elif nodeup_has curl || nodeup_has wget; then
    nodeup_install_as_script
  else
    nodeup_say >&2 'You need git, curl, or wget to install nodeup'
    exit 1
  fi
  nodeup_say
  local profile lines completion
  profile="$(nodeup_detect_profile)"
  lines="\\nexport NODEUP_DIR=\"$(nodeup_dir)\"\\n[ -s \"\$NODEUP_DIR/nodeup.sh\" ] && \\. \"\$NODEUP_DIR/nodeup.sh\"  # This loads nodeup\\n"
  # shellcheck disable=SC2016
  completion='[ -s "$NODEUP_DIR/bash_completion" ] && \. "$NODEUP_DIR/bash_completion"\n'
  if [ -z "${profile-}" ]; then
    nodeup_say "=> Profile not found. Create one and run this script again,"
    nodeup_say "   OR append these lines to the correct file yourself:"
    command printf "${lines}"
  else
    if ! command grep -qc '/nodeup.sh' "$profile"; then
      nodeup_say "=> Appending nodeup source string to $profile"
      command printf "${lines}" >> "$profile"
    else
      nodeup_say "=> nodeup source string already in ${profile}"
    fi
    if ! command grep -qc '$NODEUP_DIR/bash_completion' "$profile"; then
      command printf "$completion" >> "$profile"
    fi
  fi
  nodeup_check_global_modules
  nodeup_say "=> Close and reopen your terminal to start using nodeup, or run: . \"$(nodeup_dir)/nodeup.sh\""
  nodeup_reset
}

nodeup_reset() {
  unset -f nodeup_has nodeup_say nodeup_dir nodeup_latest nodeup_source nodeup_download nodeup_install_from_git \
    nodeup_install_as_script nodeup_try_profile nodeup_detect_profile nodeup_check_global_modules nodeup_do_install \
    nodeup_reset
}

[ "_$NODEUP_ENV" = "_testing" ] || nodeup_do_install
}
