#!/bin/sh
# test_cuda_check.sh CUDA-CHECK: runs cuda-check on the programs of programs.txt and on
# mistakes/*.cu. Each states the expected kind and line. Then tests --attention, messages,
# and options that must be refused.
cd "$(dirname "$0")" || exit 2
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export check="$1" work CUDA_ON_CPU_SEED= CUDA_ON_CPU_LIMIT=2

awk -v work="$work" '
    /^== / {
        name = substr($2, 1, length($2) - 1)
        sub(/^== [^:]*: /, "")
        print > (work "/" name ".expect")
        file = work "/" name ".cu"
        next
    }
    file { print > file }' programs.txt
for f in ../mistakes/*.cu; do
    name=$(basename "$f" .cu)
    cp "$f" "$work/"
    sed -n '1s/^\/\* \(.*\): .*/\1/p' "$f" >"$work/$name.expect"
done

# one.sh NAME: runs cuda-check on NAME.cu. Prints FAILED and its output if it is wrong.
cat >"$work/one.sh" <<'END'
cd "$work" || exit
want=$(cat "$1.expect") line=$(grep -n '<- here' "$1.cu" | cut -d: -f1)
timeout 120 "$check" "$1.cu" >"$1.out" 2>&1
status=$?
case $want in
clean) right=0 text= ;;
cannot:*) right=2 text=${want#cannot: } ;;
*) right=1 text="$1.cu:$line: $want" ;;
esac
missing=$(sed -n 's/.*\/\/ also: //p' "$1.cu" |
    while read -r also; do grep -qF -- "$also" "$1.out" || echo "$also"; done)
unwanted=$(sed -n 's/.*\/\/ not: //p' "$1.cu" | grep -Ff - "$1.out")
[ $status = $right ] && grep -qF -- "$text" "$1.out" && [ -z "$missing$unwanted" ] &&
    { [ $right != 0 ] || ! grep -q ': race\|uninitialised' "$1.out"; } ||
    { echo "FAILED $1: want status $right, '$text'${missing:+, '$missing'}${unwanted:+, not '$unwanted'}; got status $status:"; cat "$1.out"; }
END
find "$work" -name '*.expect' | sed 's/.*\///; s/\.expect//' | sort |
    xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 1 sh "$work/one.sh" >"$work/failed"

cat >"$work/heads.cu" <<'END'
#include <math.h>
__global__ void attention(const half *Q, const half *K, const half *V, half *O, int N, int d, float scale)
{
    int row = blockIdx.x * 32 + threadIdx.x, head = blockIdx.y * N * d;
    float o[64] = {0}, m = -INFINITY, l = 0;
    if (row >= N)
        return;
    for (int j = 0; j < N; j++) {
        float s = 0;
        for (int c = 0; c < d; c++)
            s += __half2float(Q[head + row * d + c]) * __half2float(K[head + j * d + c]);
        float m_new = fmaxf(m, s * scale), p = __expf(s * scale - m_new);
        float alpha = ALPHA;
        for (int c = 0; c < d; c++)
            o[c] = o[c] * alpha + p * __half2float(V[head + j * d + c]);
        l = l * alpha + p;
        m = m_new;
    }
    for (int c = 0; c < d; c++)
        O[head + row * d + c] = __float2half(o[c] / l);
}
END
judge() {
    timeout 120 "$check" "$work/heads.cu" -D "ALPHA=$1" --sizes 1,2,45,32 --attention \
     "attention<<<dim3((N + 31) / 32, B * H), 32>>>(q, k, v, o, $4, d, scale)$5" \
     >"$work/judged" 2>&1
    [ $? = "$2" ] && grep -q "$3" "$work/judged" &&
        ! grep -q Traceback "$work/judged" ||
        { echo "FAILED heads, alpha $1:" && cat "$work/judged"; } >>"$work/failed"
}
judge '__expf(m-m_new)' 0 '^Heads that are wrong: 0 of 2' N
judge 1 1 '^suspect: not-rescaled' N
judge 1 1 'out of bounds: reads 2 bytes at k + 5760; it has 5760 bytes$' 46 ';exit(0)'

# says TEXT COMMAND...: the command must print the text. grep has no -q, because it would
# end before the command, and then Python's pty.spawn may wait forever.
says() {
    text=$1
    shift
    timeout 120 "$@" 2>&1 | grep -F -- "$text" >"$work/said" ||
        echo "FAILED $*: does not print '$text'" >>"$work/failed"
}
mkdir "$work/include"
cp "$work/variable_never_set.cu" "$work/include/"
says 'the variable acc is used before it is set' "$check" "$work/include/variable_never_set.cu"
printf '%s\n' '__global__ void k(int *x) { *x = 1; }' \
    'inline void run() { k<<<1, 1>>>(nullptr); }' >"$work/include/part.cuh"
printf '#include "include/part.cuh"\nint main() { run(); }\n' >"$work/parts.cu"
says 'include/part.cuh:1: out of bounds: ' "$check" "$work/parts.cu"
echo '__global__ void k(float *x) { x[0] = 1; }' >"$work/alone.cu"
says 'no main; add one' "$check" "$work/alone.cu"
says 'no main; call one of its functions with --attention' "$check" "$work/heads.cu" -D ALPHA=1
says 'has a main, and --attention adds one' "$check" "$work/streams_in_order.cu" \
    --attention 'twice(o, q)'
printf '\357\273\277#include <stdio.h>\n%s\n' \
    'template <class T> concept any = true; int main() { puts("right"); }' >"$work/new.cu"
says right env STD=c++20 "$check" "$work/new.cu"
says 'c++11: must be c++17, c++20 or c++23' env STD=c++11 "$check" "$work/new.cu"
# A C library with the functions that C23 adds.
mkdir "$work/c23"
printf '#include_next <math.h>\nextern "C" double rsqrt(double) noexcept;\n' \
    >"$work/c23/math.h"
printf '#include <stdio.h>\n__global__ void k() {}\n%s\n' \
    'int main() { k<<<1, 1>>>(); printf("is %g\n", rsqrt(16.0)); }' >"$work/root.cu"
says 'is 0.25' env CPLUS_INCLUDE_PATH="$work/c23" "$check" "$work/root.cu"
# On a terminal, each progress line replaces the last one, and the finding replaces it.
erase=$(printf '\033\\[K')
timeout 120 python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$check" \
    "$work/endless_loop.cu" | tr '\r' '\n' | sed -n "s:^$erase\(.*/\)*::p" |
    cut -c 1-26 >"$work/said"
printf '%s\n' 'forever: block 1 of 2, 1 s' 'forever: block 1 of 2, 2 s' \
    'endless_loop.cu:5: endless' | cmp -s - "$work/said" ||
    { echo 'FAILED: other progress lines:' && cat "$work/said"; } >>"$work/failed"

for refused in 'nowhere.cu' '' '--sizes 1,2' "$work/heads.cu --what" \
    "$work/heads.cu --limit -1" \
    "$work/heads.cu --attention f(q) --sizes 0,1,1,1"; do
    # shellcheck disable=SC2086 # words
    "$check" $refused >"$work/said" 2>&1
    [ $? = 2 ] && [ "$(grep -c . "$work/said")" = 1 ] ||
        echo "FAILED: not refused by one line: $refused" >>"$work/failed"
done
cat "$work/failed"
failed=$(grep -c ^FAILED "$work/failed")
echo "test_cuda_check: $failed failed"
[ "$failed" = 0 ]
