#!/bin/sh
# tools/assurance/faults.sh BUILD: in commands that write files, each open, read,
# write, close and rename fails once, in turn (strace injects the fault). The
# command must end with 0 and the right files; or with one line on stderr, and each
# file is then the old one or the right one, and no temporary file is left.
set -u
. tools/tally.sh
flash=$PWD/$1/06_flash2/flash/run
export OMP_NUM_THREADS=1

# Makes a folder with inputs and two old outputs.
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
                    wrong="$file is not right"
            done
            # A command that cannot write to stderr prints nothing.
            [ $status -eq 0 ] || [ "$call" = write ] ||
                [ "$(grep -c . "$tmp/err")" -eq 1 ] || wrong="not one line"
            [ $status -lt 128 ] || wrong="killed by a signal"
            ! ls | grep -q '\.part$' || wrong="left a temporary file"
            count ${#wrong} "$*: $call $n: $status, $wrong: $(head -3 "$tmp/err")"
        done
    done
}
each softmax --in x.npy --out y.npy --lse l.npy
each attention --n 9 --d 4 --out y.npy --lse l.npy
each backward --n 9 --d 4 --grad-q y.npy --grad-k l.npy
finish "see why, then make assurance-faults"
