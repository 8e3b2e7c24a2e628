#!/bin/sh
# tools/assurance/mutants.sh [-e EVERY] [-s SEED] [FILE...]: changes each file in
# small ways (mutate.c), one at a time, and runs the tests that should notice.
# Of the changes every EVERY-th is made, from the SEED-th on. Results are kept
# in $BUILD/mutants/results.tsv: file, number, line, change, and what came of
# it. What is there is not done again; so it can be stopped and goes on.
#
#   refused    it does not compile
#   same       it compiles to the same code: no test can tell
#   TEST       that test failed, or ran far beyond its time
#   equal      equivalents.tsv says why no test could fail
#   ALIVE      all passed
#
# Exit 1 if less than 98% of those that a test could tell were killed.
set -u
export LC_ALL=C

every=1
seed=0
while getopts e:s: option; do
    case $option in
    e) every=$OPTARG ;;
    s) seed=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
# Without a file: the steps of 01 to 06 that are read, and what they stand on.
if [ $# -eq 0 ]; then
    four=04_tiled_attention
    set -- 01_naive_softmax/naive_softmax.c 02_safe_softmax/safe_softmax.c \
        03_online_softmax/online_softmax.c 03_online_softmax/merged_softmax.c \
        $four/standard_attention.c $four/three_pass_attention.c \
        $four/two_pass_attention.c $four/one_pass_attention.c \
        $four/tiled_attention.c 05_flash1/flash1.c 06_flash2/flash2.c \
        06_flash2/flash2_deferred.c 06_flash2/flash2_parallel.c \
        06_flash2/split_kv.c common/scores.c common/memory.c common/head.c \
        common/matrix.c
fi

build=${BUILD:-build}/mutants
results=$build/results.tsv
cc=${CC:-cc}
# shellcheck disable=SC2089,SC2090 # words
flags="-std=c11 -O1 -w -D_POSIX_C_SOURCE=200809L -I. -fopenmp
       -DTARGETS=X(native)"

# Tests that could notice a change of this file, the likeliest first.
tests_for() {
    name=$(basename "$1" .c)
    door="04_tiled_attention/test_tiled_attention 06_flash2/test_flash2
          06_flash2/test_starved 06_flash2/test_programs"
    for t in "common/tests/test_$name" "06_flash2/fast/test_$name"; do
        [ -e "$t.c" ] && echo "$t"
    done
    case $1 in
    0[1-5]*/*) ls "${1%%/*}"/test_*.c | sed 's/\.c$//' && echo "$door" ;;
    06_flash2/fast/*) echo 06_flash2/fast/test_fast_path \
        06_flash2/fast/test_targets 06_flash2/test_flash2 ;;
    06_flash2/*) echo "$door" 06_flash2/fast/test_fast_path ;;
    common/npy/*) echo common/tests/test_npy common/tests/test_replace_file \
        common/tests/test_replace_both common/tests/test_temporary \
        common/tests/test_starved common/tests/test_npy_random ;;
    common/program/*) echo common/tests/test_attention_program \
        common/tests/test_softmax_program common/tests/test_options \
        06_flash2/test_programs ;;
    common/problem/*) echo common/tests/test_attention_program \
        common/tests/test_heads common/tests/test_softmax_rows ;;
    common/*) echo common/tests/test_starved "$door" \
        06_flash2/fast/test_fast_path common/tests/test_reference_attention ;;
    esac
}

# compile SOURCE AS OBJECT: the source as if it lay at AS.
compile() {
    for_target=
    case $2 in
    *fast/flash2_lanes.c | *_simd.c | *_loops.c)
        for_target="-O3 -march=native -ffp-contract=fast -DTARGET=native" ;;
    esac
    # shellcheck disable=SC2086,SC2090 # words
    $cc $flags $for_target -c "$1" -o "$3" 2>/dev/null
}

# link TEST PROGRAM [OBJECT]: with this object in place of the library's.
link() {
    # shellcheck disable=SC2086,SC2090,SC2046 # words
    $cc $flags -o "$2" "$build/$1.o" ${3-} "$build/all.a" \
        $(pkg-config --libs cmocka 2>/dev/null || echo -lcmocka) -lm -ldl \
        2>/dev/null
}

# A failed test ends its program; so does 3 times its usual time.
run() {
    (
        # shellcheck disable=SC3045 # in every sh
        ulimit -S -c 0 && ulimit -S -t "$2" && ulimit -S -v 16000000
        OMP_WAIT_POLICY=passive CMOCKA_TEST_ABORT=1 exec "$1"
    ) >/dev/null 2>&1 </dev/null
}

prepare() {
    mkdir -p "$build" || exit 1
    $cc -std=c11 -D_POSIX_C_SOURCE=200809L -O1 -o "$build/mutate" \
        tools/assurance/mutate.c || exit 1
    [ -e "$build/all.a" ] && return
    rm -f "$build/tests" "$build/sources"
    for f in common/*.c common/*/*.c common/*/*/*.c 0[1-6]_*/*.c \
        0[1-6]_*/*/*.c; do
        case $f in
        */main.c | */exercise/* | common/testing/test_* | */backward/test_*)
            continue ;;
        esac
        mkdir -p "$build/$(dirname "$f")"
        case $f in
        */test_*) echo "$f" >>"$build/tests" ;;
        *) echo "$f" >>"$build/sources" ;;
        esac
    done
    while read -r f; do
        compile "$f" "$f" "$build/${f%.c}.o" || exit 1
    done <"$build/sources" && while read -r f; do
        compile "$f" "$f" "$build/${f%.c}.o" || exit 1
    done <"$build/tests"
    sed "s|^|$build/|; s|\.c$|.o|" "$build/sources" | xargs ar rcs "$build/all.a"
    while read -r f; do
        t=${f%.c}
        link "$t" "$build/$t" || exit 1
        began=$(date +%s)
        { run "$build/$t" 600; } 2>/dev/null ||
            echo "mutants: $t fails as it is" >&2
        echo $((($(date +%s) - began) * 3 + 3)) >"$build/$t.limit"
    done <"$build/tests"
}

# verdict FILE N LINE CHANGE: makes it, and says what came of it.
verdict() {
    work=$build/work.$$
    mkdir -p "$work"
    source=$work/mutant.c
    "$build/mutate" "$1" "$2" >"$source"
    came_of_it=ALIVE
    if ! compile "$source" "$1" "$work/mutant.o"; then
        came_of_it=refused
    elif cmp -s "$work/mutant.o" "$build/${1%.c}.same.o"; then
        came_of_it=same
    else
        for t in $(tests_for "$1"); do
            link "$t" "$work/test" "$work/mutant.o" || continue
            { run "$work/test" "$(cat "$build/$t.limit")"; } 2>/dev/null &&
                continue
            came_of_it=$t
            break
        done
    fi
    rm -rf "$work"
    code=$(sed -n "$3{s/^ *//;p;}" "$1")
    [ "$came_of_it" = ALIVE ] &&
        grep -qF "$1	$code	$4	" tools/assurance/equivalents.tsv &&
        came_of_it=equal
    echo "$came_of_it"
}

if [ "${1-}" = --one ]; then
    echo "$3	$4	$5	$6	$(verdict "$3" "$4" "$5" "$6")" >>"$results"
    exit
fi

prepare
touch "$results"
for f in "$@"; do
    # From the same path, so that the same code is the same file.
    cp "$f" "$build/mutant.c" &&
        compile "$build/mutant.c" "$f" "$build/${f%.c}.same.o"
    "$build/mutate" "$f" | sed "s|^|$f	|"
done | awk -F '\t' -v every="$every" -v seed="$seed" -v done="$results" '
    BEGIN { while ((getline line < done) > 0) {
                split(line, cell, FS); known[cell[1], cell[2]] = 1 } }
    (NR - 1 + seed) % every == 0 && !(($1, $2) in known)' >"$build/todo"
tr '\n' '\0' <"$build/todo" | xargs -0 -n 1 -P "${JOBS:-2}" sh -c '
    IFS="	" read -r file number line change <<END
$2
END
    exec sh "$1" -- --one x "$file" "$number" "$line" "$change"' sh "$0"

awk -F '\t' '
    { n++; came[$5 ~ /^(refused|same|equal|ALIVE)$/ ? $5 : "killed"]++ }
    $5 == "ALIVE" { print $1 ":" $3 ": " $4 }
    END {
        live = came["killed"] + came["ALIVE"]
        printf "%d changes: %d refused by the compiler, %d the same code, ", n,
            came["refused"], came["same"]
        printf "%d equal; of %d others %d killed (%.1f%%)\n", came["equal"],
            live, came["killed"], live ? 100 * came["killed"] / live : 0
        bad = came["killed"] < 0.98 * live
        printf "%d passed, %d failed\n", came["killed"], bad ? came["ALIVE"] : 0
        exit bad
    }' "$results"
