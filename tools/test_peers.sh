#!/bin/sh
# tools/test_peers.sh: does bench_peers refuse peers that are wrong, before it
# times them? Instead of Python it is given a script that answers as
# docs/lab/peers.py does, but wrongly: PyTorch with zeros, NumPy too briefly.
set -u
. tools/count.sh

program=${BUILD:-build}/docs/lab/bench_peers
case $program in /*) ;; *) program=$PWD/$program ;; esac
mkdir "$tmp/build"
cat >"$tmp/peer" <<'END'
#!/bin/sh
# peer docs/lab/peers.py NAME THREADS
echo "ok 1.0"
while read -r command B H N d; do
    case $command in
    problem)
        bytes=$((4 * B * H * N * d))
        head -c $((3 * bytes)) >/dev/null
        echo ok
        ;;
    output)
        echo ok
        [ "$2" = torch ] || { head -c 1000 /dev/zero && exit; }
        head -c $bytes /dev/zero
        ;;
    time) echo "ok 0.001" ;;
    esac
done
END
chmod +x "$tmp/peer"

must "a wrong peer is an error" not \
    env -C "$tmp" OPENBLAS=/none PYTHON="$tmp/peer" "$program" 64
cp "$tmp/log" "$tmp/said"
must "a peer of zeros is refused" \
    grep 'torch: .*error 1.0e+00: refused' "$tmp/said"
must "a short output is seen" grep 'numpy: its output is cut short' "$tmp/said"
must "and neither is timed" not grep -v -e ^step -e ^flash2_simd \
    "$tmp/build/bench_peers.tsv"
finish
