#!/bin/sh
# Finds out which machine this is, fetches the installer of the toolchain for it, compares its checksum and starts it.
set -u

if [ "$KSH_VERSION" = 'Version JM 93t+ 2010-03-05' ]; then
    echo 'the shell is too old for this installer' >&2
    exit 1
fi

TOOLS_ROOT="${TOOLS_ROOT:-https://static.toolchain.example/dist}"

usage() {
    cat <<EOF
toolchain-init 1.9.0
The installer of the toolchain

Usage: toolchain-init.sh [OPTIONS]

Options:
  -v, --verbose           Print more
  -q, --quiet             Print less
  -y                      Ask nothing
      --target <TRIPLE>   Choose a target
  -h, --help              Print help
EOF
}

main() {
    need_cmd uname
    need_cmd mktemp
    need_cmd chmod
    need_cmd mkdir
    need_cmd rm
    need_cmd sha256sum

    get_architecture || return 1
    _arch="$RETVAL"
    assert_nz "$_arch" "arch"

    _ext=""
    case "$_arch" in
        *windows*) _ext=".exe" ;;
    esac

    _url="${TOOLS_ROOT}/${_arch}/toolchain-init${_ext}"
    if ! _dir="$(ensure mktemp -d)"; then
        exit 1
    fi
    _file="${_dir}/toolchain-init${_ext}"
    _sum="${_dir}/toolchain-init.sha256"

    _ansi_escapes_are_valid=false
    if [ -t 2 ]; then
        if [ "${TERM+set}" = 'set' ]; then
            case "$TERM" in
                xterm* | rxvt* | urxvt* | linux* | vt*) _ansi_escapes_are_valid=true ;;
            esac
        fi
    fi

    need_tty=yes
    for arg in "$@"; do
        case "$arg" in
            --help)
                usage
                exit 0
                ;;
            *)
                OPTIND=1
                if [ "${arg%%--*}" = "" ]; then
                    continue
                fi
                while getopts :hqvy sub_arg "$arg"; do
                    case "$sub_arg" in
                        h)
                            usage
                            exit 0
                            ;;
                        y) need_tty=no ;;
                        *) ;;
                    esac
                done
                ;;
        esac
    done

    if $_ansi_escapes_are_valid; then
        printf "\33[1minfo:\33[0m downloading installer\n" 1>&2
    else
        printf '%s\n' 'info: downloading installer' 1>&2
    fi

    ensure mkdir -p "$_dir"
    ensure downloader "$_url" "$_file" "$_arch"
    ensure downloader "$_url.sha256" "$_sum" "$_arch"
    (cd "$_dir" && sha256sum -c toolchain-init.sha256) || err "the checksum of $_file is wrong"
    ensure chmod u+x "$_file"
    if [ ! -x "$_file" ]; then
        printf '%s\n' "Cannot execute $_file (likely because of mounting /tmp as noexec)." 1>&2
        exit 1
    fi

    if [ "$need_tty" = "yes" ] && [ ! -t 0 ]; then
        if [ ! -t 1 ]; then
            err "Unable to run interactively. Run with -y to accept defaults, --help for additional options"
        fi
        ignore "$_file" "$@" < /dev/tty
    else
        ignore "$_file" "$@"
    fi
    _retval=$?

    ignore rm "$_file"
    ignore rmdir "$_dir"
    return "$_retval"
}

get_bitness() {
    need_cmd head
    _current_exe_head=$(head -c 5 /proc/self/exe)
    if [ "$_current_exe_head" = "$(printf '\177ELF\001')" ]; then
        echo 32
    elif [ "$_current_exe_head" = "$(printf '\177ELF\002')" ]; then
        echo 64
    else
        err "unknown platform bitness"
    fi
}

get_architecture() {
    _ostype="$(uname -s)"
    _cputype="$(uname -m)"
    _clibtype="gnu"
    if [ "$_ostype" = Linux ]; then
        if [ "$(uname -o)" = Android ]; then
            _ostype=Android
        fi
        if ldd --version 2>&1 | grep -q 'musl'; then
            _clibtype="musl"
        fi
    fi
    if [ "$_ostype" = Darwin ] && [ "$_cputype" = i386 ]; then
        if sysctl hw.optional.x86_64 | grep -q ': 1'; then
            _cputype=x86_64
        fi
    fi
    case "$_ostype" in
        Android) _ostype=linux-android ;;
        Linux)
            check_proc
            _ostype=unknown-linux-$_clibtype
            _bitness=$(get_bitness)
            ;;
        FreeBSD) _ostype=unknown-freebsd ;;
        Darwin) _ostype=apple-darwin ;;
        *) err "unrecognized OS type: $_ostype" ;;
    esac
    case "$_cputype" in
        i386 | i486 | i686 | i786 | x86) _cputype=i686 ;;
        aarch64 | arm64) _cputype=aarch64 ;;
        x86_64 | x86-64 | x64 | amd64) _cputype=x86_64 ;;
        armv7l | armv8l) _cputype=armv7 ;;
        *) err "unknown CPU type: $_cputype" ;;
    esac
    if [ "${_ostype}" = unknown-linux-gnu ] && [ "${_bitness}" -eq 32 ]; then
        case $_cputype in
            x86_64) _cputype=i686 ;;
            aarch64) _cputype=armv7 ;;
        esac
    fi
    RETVAL="${_cputype}-${_ostype}"
}

check_proc() {
    if ! test -L /proc/self/exe; then
        err "unable to find /proc/self/exe. Is /proc mounted?"
    fi
}

say() {
    printf 'toolchain-init: %s\n' "$1"
}

err() {
    say "$1" >&2
    exit 1
}

need_cmd() {
    if ! check_cmd "$1"; then
        err "need '$1' (command not found)"
    fi
}

check_cmd() {
    command -v "$1" > /dev/null 2>&1
}

assert_nz() {
    if [ -z "$1" ]; then err "assert_nz $2"; fi
}

ensure() {
    if ! "$@"; then err "command failed: $*"; fi
}

ignore() {
    "$@"
}

downloader() {
    if check_cmd curl; then
        _dld=curl
    elif check_cmd wget; then
        _dld=wget
    else
        _dld='curl or wget'
    fi
    if [ "$_dld" = curl ]; then
        curl --proto '=https' --tlsv1.2 --silent --show-error --fail --location "$1" --output "$2"
    elif [ "$_dld" = wget ]; then
        wget --https-only --secure-protocol=TLSv1_2 "$1" -O "$2"
    else
        err "need '$_dld'"
    fi
}

main "$@" || exit 1
