#!/bin/sh
# tools/assurance/faults.sh BUILD: runs commands that write files, and lets one open,
# read, write, close or rename fail in each run (strace injects the fault). A command
# must exit with 0 and write the right files. Or it must print one line on stderr, leave
# no temporary file, and leave each file old or right.
set -u
. tools/tally.sh
flash=$PWD/$1/tools/flash/run
export OMP_NUM_THREADS=1

mkdir -p "$tmp/inputs/common" && cp -R common/data "$tmp/inputs/common"
cp common/data/q.npy "$tmp/inputs/x.npy"
scene() {
    rm -rf "$tmp/scene" "$tmp/calls" && cp -R "$tmp/inputs" "$tmp/scene" &&
        cd "$tmp/scene" && echo old | tee y.npy >l.npy
}

# each COMMAND OPTION...: runs the command without a fault, then once for each fault.
each() {
    scene && "$flash" "$@" >/dev/null ||
        { count 1 "$*: fails without a fault" && return; }
    rm -rf "$tmp/good" && cp -R . "$tmp/good"
    for call in open,openat read write close rename; do
        n=0
        while scene && [ $((n += 1)) -le 400 ]; do
            strace -f -qq -o "$tmp/calls" -e "trace=$call" \
                -e "inject=$call:error=EIO:when=$n" "$flash" "$@" >/dev/null 2>"$tmp/err"
            status=$?
            wrong=
            grep -q INJECTED "$tmp/calls" || break
            for file in *.npy; do
                cmp -s "$file" "$tmp/good/$file" ||
                    { [ $status -ne 0 ] && echo old | cmp -s - "$file"; } ||
                    wrong="$file is neither old nor right"
            done
            # If `write` fails, the command may be unable to print its error.
            [ $status -eq 0 ] || [ "$call" = write ] ||
                [ "$(grep -c . "$tmp/err")" -eq 1 ] || wrong="prints not exactly one line"
            [ $status -lt 128 ] || wrong="killed by a signal"
            ! ls | grep -q '\.part$' || wrong="left a temporary file"
            count ${#wrong} "$*: $call $n fails: exit $status, $wrong: $(
                head -3 "$tmp/err")"
        done
    done
}
each softmax --in x.npy --out y.npy --lse l.npy
each attention --n 9 --d 4 --out y.npy --lse l.npy
each backward --n 9 --d 4 --grad-q y.npy --grad-k l.npy
finish "fix the errors, then make assurance-faults"
