#!/bin/sh
# tools/limit.sh SECONDS COMMAND...: runs a command with a limit of processor time, so
# that an endless loop ends. With LIMIT_KB=N in the environment it may write at most N
# kB to a file. Exits with 124 if a limit or the command's own alarm() stopped
# it, else with the command's status. (macOS has no timeout(1).)
set -u
export LC_ALL=C

seconds=$1
shift
(
    # Every sh has these options; POSIX does not. -f counts 512-byte blocks.
    # shellcheck disable=SC3045
    ulimit -S -c 0 && ulimit -S -t "$seconds" || exit 1
    [ -z "${LIMIT_KB-}" ] || ulimit -S -f "$((2 * LIMIT_KB))" || exit 1
    exec "$@"
) </dev/null
status=$?

# 128 + SIGXCPU, which is 24 on Linux and macOS alike.
if [ "$status" -eq 152 ]; then
    echo "stopped after $seconds s of processor time: an endless loop?"
    exit 124
fi
# 128 + SIGXFSZ, 25.
if [ "$status" -eq 153 ]; then
    printf '\n'
    echo "stopped after $((LIMIT_KB / 1000)) MB of output: an endless loop that prints?"
    exit 124
fi
# 128 + SIGALRM, 14: the alarm of common/testing/run_tests.c.
if [ "$status" -eq 142 ]; then
    echo "stopped after $((4 * seconds)) s: does it sleep or wait?"
    exit 124
fi
exit "$status"
