#!/bin/sh
# tools/assurance/faults.sh BUILD: in programs that write files each allocation and
# each open, read, write, fsync, close, rename and unlink fails once, in turn, and
# once comes a Ctrl-C in it. A program must end with 0 and the right files, or say
# why in one line and leave the old files or the new ones.
set -u
. tools/count.sh
build=$PWD/$1
export OMP_NUM_THREADS=1
${CC:-cc} -I. -shared -fPIC -o "$tmp/starve.so" tools/assurance/starve.c -ldl || exit

# In a folder with inputs and two old outputs: scene.
mkdir -p "$tmp/inputs/common" && cp -R common/data "$tmp/inputs/common"
cp common/data/q.npy "$tmp/inputs/x.npy"
scene() {
    rm -rf "$tmp/scene" "$tmp/calls" && cp -R "$tmp/inputs" "$tmp/scene" &&
        cd "$tmp/scene" && echo old | tee y.npy >l.npy
}

# each PROGRAM OPTION...: its unharmed run, then one for each fault. One that could
# not write to stderr can say nothing, one that could not unlink leaves a file.
each() {
    which=$*
    program=$build/$1
    shift
    scene && "$program" "$@" >/dev/null || { count 1 "$which: fails unharmed" && return; }
    rm -rf "$tmp/good" && cp -R . "$tmp/good"
    for fault in malloc: $(for call in open,openat read write fsync close rename unlink; do
        echo "$call:error=EIO" "$call:signal=INT"; done); do
        n=0
        while scene && [ $((n += 1)) -le 400 ]; do
            case $fault in
            malloc:) STARVE=$n LD_PRELOAD=$tmp/starve.so "$program" "$@" 3>"$tmp/calls" ;;
            *) strace -f -qq -o "$tmp/calls" -e "trace=${fault%:*}" \
                -e "inject=$fault:when=$n" "$program" "$@" ;;
            esac >/dev/null 2>"$tmp/err"
            status=$?
            wrong=
            grep -q 'INJECTED\|SIGINT' "$tmp/calls" || [ $status -ge 128 ] || break
            for file in *.npy; do
                cmp -s "$file" "$tmp/good/$file" ||
                    { [ $status -ne 0 ] && echo old | cmp -s - "$file"; } ||
                    wrong="$file is not right"
            done
            case $status:$fault in
            0:* | 130:*INT | *:write:* | *:unlink:*) ;;
            *) [ $status -lt 128 ] && [ "$(grep -c . "$tmp/err")" -eq 1 ] || wrong="not one line" ;;
            esac
            left=$(ls | grep '\.part$')
            [ -z "$left" ] || grep -q "$left" "$tmp/err" || wrong="left $left"
            count ${#wrong} "$which: $fault $n: $status, $wrong: $(head -3 "$tmp/err")"
        done
    done
}
each 06_flash2/flash/run softmax --in x.npy --out y.npy --lse l.npy
each 06_flash2/flash/run attention --n 9 --d 4 --out y.npy --lse l.npy
each 06_flash2/flash/run backward --n 9 --d 4 --grad-q y.npy --grad-k l.npy
finish "see why, then make assurance-faults"
