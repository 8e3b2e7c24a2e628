#!/bin/sh
# tools/limit.sh SECONDS COMMAND...: runs a command with a limit of processor time, which
# stops an endless loop. With LIMIT_KB=N in the environment the command may write at most
# N kB to a file. Exits with 124 if a limit or an alarm() of the command stopped the
# command, else with the command's status. The message begins with LIMITED, "the program"
# if this is not set. (macOS has no timeout(1).)
set -u
export LC_ALL=C

seconds=$1
shift
what=${LIMITED:-the program}
# When a signal ends the command, the shell prints its name, such as "Alarm clock", to
# stderr, which is now /dev/null.
exec 3>&2 2>/dev/null
(
    # Every sh has these options; POSIX.1-2017 has only -f, in blocks of 512 bytes.
    # shellcheck disable=SC3045
    ulimit -S -c 0 && ulimit -S -t "$seconds" || exit 1
    [ -z "${LIMIT_KB-}" ] || ulimit -S -f "$((2 * LIMIT_KB))" || exit 1
    exec "$@" 2>&3 3>&-
) </dev/null
status=$?

# 152 is 128 + SIGXCPU; SIGXCPU is 24 on Linux and on macOS.
if [ "$status" -eq 152 ]; then
    echo "$what did not return within $seconds s of processor time;" \
        "there may be an endless loop"
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
    echo "$what did not return within $((4 * seconds)) s;" \
        "there may be an endless loop, or it waits"
    exit 124
fi
exit "$status"
