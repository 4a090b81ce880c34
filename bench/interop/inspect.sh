#!/usr/bin/env bash
# Shows that the real inspect-ai reads, re-scores and displays our logs, and that we read and re-score its.
# Opt-in: needs Python 3.10+, PyPI and Chromium. Nothing is installed outside the folder it works in.
#
#   bench/interop/inspect.sh [WORK]      default: target/interop
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=${1:-$root/target/interop}
mkdir -p "$work"

aegish=${AEGISH_BIN:-$root/target/debug/aegish}
if [ ! -x "$aegish" ]; then
    cargo build --manifest-path "$root/Cargo.toml" -p aegish
fi
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$chromium" ]; then
    echo "no Chromium: install it (Debian: apt-get install chromium) and run this again" >&2
    exit 1
fi
if [ ! -x "$work/venv/bin/python" ]; then
    python3 -m venv "$work/venv"
fi
"$work/venv/bin/pip" install --quiet --upgrade inspect-ai openai pandas pyarrow playwright

PATH="$work/venv/bin:$PATH" "$work/venv/bin/python" "$root/bench/interop/check.py" \
    --aegish "$aegish" --chromium "$chromium" --root "$root" --work "$work/run"
