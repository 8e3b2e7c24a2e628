#!/bin/sh
# tools/book/browser.sh ARGUMENT...: Chromium without a window, for five minutes
# at most where there is timeout(1): macOS has none. Root may not sandbox.
set -u
export LC_ALL=C.UTF-8

[ "$(id -u)" -eq 0 ] && set -- --no-sandbox "$@"
set -- chromium --headless --disable-gpu "$@"
command -v timeout >/dev/null && set -- timeout 300 "$@"
exec "$@"
