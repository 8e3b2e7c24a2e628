#!/bin/sh
# tools/limit.sh SECONDS COMMAND...: runs a command with a limit of processor time, which
# stops an endless loop. With LIMIT_KB=N in the environment the command may write at most
# N kB to a file. Exits with 124 if a limit or an alarm() of the command stopped the
# command, else with the command's status. (macOS has no timeout(1).)
set -u
export LC_ALL=C

seconds=$1
shift
(
    # Every sh has these options; POSIX.1-2017 has only -f, in blocks of 512 bytes.
    # shellcheck disable=SC3045
    ulimit -S -c 0 && ulimit -S -t "$seconds" || exit 1
    [ -z "${LIMIT_KB-}" ] || ulimit -S -f "$((2 * LIMIT_KB))" || exit 1
    exec "$@"
) </dev/null
status=$?

# 152 is 128 + SIGXCPU; SIGXCPU is 24 on Linux and on macOS.
if [ "$status" -eq 152 ]; then
    echo "stopped after $seconds s of processor time; there may be an endless loop"
    exit 124
fi
# 153 is 128 + SIGXFSZ.
if [ "$status" -eq 153 ]; then
    printf '\n'
    echo "stopped after $((LIMIT_KB / 1000)) MB of output; there may be an endless loop"
    exit 124
fi
# 142 is 128 + SIGALRM; common/testing/run_tests.c sets the alarm.
if [ "$status" -eq 142 ]; then
    echo "stopped after $((4 * seconds)) s; the program may sleep or wait"
    exit 124
fi
exit "$status"
