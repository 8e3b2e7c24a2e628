#!/bin/sh
# tools/limit.sh SECONDS COMMAND...: runs a command that may use so many
# seconds of processor time, so that an endless loop ends. Exit 124 if it was
# stopped, or stopped itself by alarm(), else the command's own status. (Not
# timeout(1), which macOS lacks.)
set -u
export LC_ALL=C

seconds=$1
shift
(
    # Not POSIX, but in every sh. No core file; then the time.
    # shellcheck disable=SC3045
    ulimit -S -c 0 && ulimit -S -t "$seconds" || exit 1
    exec "$@"
) </dev/null
status=$?

# 128 + SIGXCPU, which is 24 on Linux and macOS alike.
if [ "$status" -eq 152 ]; then
    echo "stopped after $seconds s of processor time: an endless loop?"
    exit 124
fi
# 128 + SIGALRM, 14: common/testing/run_tests.c looks at the clock.
if [ "$status" -eq 142 ]; then
    echo "stopped after $((4 * seconds)) s: does it sleep, or wait for something?"
    exit 124
fi
exit "$status"
