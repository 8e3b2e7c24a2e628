#!/bin/sh
# tools/test_peers.sh: does bench_peers go on without peers, and does it refuse
# those that are wrong? Instead of Python it is given a script that answers as
# docs/lab/peers.py does, but wrongly; of its two names each is another fault.
set -u
. tools/count.sh

program=$PWD/${BUILD:-build}/docs/lab/bench_peers
case ${BUILD:-build} in /*) program=$BUILD/docs/lab/bench_peers ;; esac
mkdir "$tmp/build"

cat >"$tmp/peer" <<'END'
#!/bin/sh
# peer docs/lab/peers.py NAME THREADS
fault=$(sed -n "s/^$2 //p" faults)
[ "$fault" = absent ] && echo "no module" && exit
echo "ok 1.0"
while read -r command B H N d; do
    case $command in
    problem)
        bytes=$((4 * B * H * N * d))
        head -c $((3 * bytes)) >/dev/null
        [ "$fault" = declines ] && echo "no too large" && continue
        echo ok
        ;;
    output)
        echo ok
        case $fault in
        zeros) head -c $bytes /dev/zero ;;
        short) head -c 1000 /dev/zero && exit ;;
        esac
        ;;
    time) echo "$fault" >>timed && echo "ok 0.001" ;;
    esac
done
END
chmod +x "$tmp/peer"

# peers FAULT FAULT: runs it with PyTorch and NumPy like that; its exit code is
# in $ended, what it says in $tmp/out.
peers() {
    printf '%s\n' "torch $1" "numpy $2" >"$tmp/faults"
    (cd "$tmp" && OPENBLAS=/none PYTHON=$tmp/peer "$program" 64) \
        >"$tmp/out" 2>&1
    ended=$?
}

says() {
    grep -q -e "$1" "$tmp/out" || { cat "$tmp/out"; return 1; }
}

# Neither was asked for its time, and none of its lines is in the file.
none_timed() {
    [ ! -e "$tmp/timed" ] &&
        ! cut -f 1 "$tmp/build/bench_peers.tsv" | grep -vx -e step \
            -e flash2_simd
}

peers zeros short
must "a wrong peer is an error" [ $ended -eq 1 ]
must "a peer of zeros is refused" says 'torch: .*error 1.0e+00: refused'
must "a short output is seen" says 'numpy: its output is cut short'
must "a wrong peer is not timed" none_timed

peers declines absent
must "a peer may decline, or be absent" [ $ended -eq 0 ]
must "why it declines is said" says 'torch: left out: too large'
must "how to get it is said" says 'numpy: not found: module (make torch'
must "who declines is not timed" none_timed

finish
