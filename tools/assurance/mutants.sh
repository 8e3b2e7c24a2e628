#!/bin/sh
# tools/assurance/mutants.sh [-e EVERY] [-s SEED] FILE...: changes each file in
# small ways (mutate.py), one at a time, and runs the tests that should notice,
# until one fails. `make assurance-mutants` calls it, and has built the tests.
# Of the changes every EVERY-th is made, from the SEED-th on. What came of them
# is kept in $BUILD/verdicts: file, number, line, change, verdict. What is there
# is not done again as long as the file is as it was, unless it was alive: so it
# can be stopped, as it does after $MINUTES, and goes on. The verdicts:
#
#   refused    it does not compile
#   same       it compiles to the same code: no test can tell
#   TEST       that test failed, or did not end
#   equal      equivalents.tsv says why no test could fail
#   ALIVE      all passed
#
# Exit 1 if less than 98% of those that a test could tell were killed.
set -u
export LC_ALL=C CMOCKA_TEST_ABORT=1 OMP_WAIT_POLICY=passive

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
end=$(($(date +%s) + ${MINUTES:-30} * 60))
tab=$(printf '\t')
mutate=tools/assurance/mutate.py
equivalents=docs/results/equivalents.tsv

# Tests that could notice a change of this file, the likeliest first.
tests_for() {
    room=${1%/*}
    name=$(basename "${1%.*}")
    attention="04_tiled_attention/test_tiled_attention 06_flash2/test_flash2
        06_flash2/test_starved 06_flash2/test_beyond 06_flash2/test_programs
        06_flash2/fast/test_fast_path"
    backward="05_flash1/backward/test_flash1_backward
        06_flash2/backward/test_flash2_backward 06_flash2/test_beyond
        06_flash2/backward/test_backward_program"
    case $1 in
    07*_kv.cu) echo 07_cuda/tests/test_split_kv ;;
    07*_fp8.cu) echo 07_cuda/tests/test_fp8 07_cuda/tests/test_fp8_random ;;
    07*rung8* | 07*rung9* | 07*rung10*) echo 07_cuda/tests/test_hopper ;;
    esac
    [ -e "common/tests/test_$name.c" ] && echo "common/tests/test_$name"
    ls "$room"/test_*.c 2>/dev/null | sed 's/\.c$//'
    case $1 in
    07*) echo 07_cuda/tests/test_ladder 07_cuda/tests/test_ladder_fp16 \
        07_cuda/tests/test_counts 07_cuda/tests/test_hopper_random ;;
    common/half_bits.c) echo common/tests/test_precision ;;
    */backward/* | *gradient* | */backward_*) echo "$backward" ;;
    esac
    case $1 in
    common/npy/*) ls common/tests/test_*.c | sed -n 's/\.c$//
        /npy/p; /replace/p; /temporary/p; /starved/p; /programs*$/p' ;;
    common/pro[gb]*/* | common/judge/*) ls common/tests/test_*.c | sed -n 's/\.c$//
        /programs*$/p; /options/p; /outputs/p; /starved/p; /heads/p; /rows/p'
        echo 06_flash2/test_programs "$backward" ;;
    common/*) echo common/tests/test_starved "$attention" "$backward" \
        common/tests/test_reference_attention ;;
    0[1-6]*) echo "$attention" ;;
    esac
}

# compile SOURCE AS OBJECT: the source as if it lay at AS.
compile() {
    # A step beyond an array of fixed size ends the program.
    more='-fsanitize=bounds -fsanitize-undefined-trap-on-error'
    case $2 in
    *.cu)
        sed -E -f 07_cuda/cuda_on_cpu/cu2cpp.sed "$1" >"${3%.o}.cpp" &&
            $CU_COMPILE -g0 -w "-I${2%/*}" -c "${3%.o}.cpp" -o "$3" 2>/dev/null
        return
        ;;
    *fast/flash2_lanes.c | *_simd.c | *_loops.c)
        more="$more -O3 -ffp-contract=fast -DTARGET=native $NATIVE" ;;
    esac
    # shellcheck disable=SC2086 # words
    $CC $COMPILE $more -c "$1" -o "$3" 2>/dev/null
}

# fails TEST FILE OBJECT: with this object in place of the library's.
fails() {
    link="$CC -fsanitize=leak"
    built=$BUILD/$1.o
    only="$(basename "${2#*rung*_}" ".${2##*.}"): *"
    seconds=3 # so many for a test, three times as many for all
    most_data=8000000
    case $1 in 07*)
        link=$CU_LINK
        built=$BUILD/07_cuda/cpu/${1#07_cuda/}.o
        seconds=60
        most_data=50000000 # the emulator's shadow, most of it only reserved
        ;;
    esac
    [ -e "$built" ] || { echo "$1: not built" >&2 && kill $$; }
    # shellcheck disable=SC2086 # words
    $link -o "$work/test" "$built" "$work/$3" "$BUILD/all.a" \
        $LIBS 2>/dev/null || {
        [ "$3" = same.o ] && echo "$1: does not link" >&2 && kill $$
        fails "$1" "$2" same.o
        return 1
    }
    # What is said of this step; then all, but of the ladder, whose contract
    # goes through all rungs.
    succeeds "$only" || return 0
    case $1 in *_ladder* | *test_hopper) return 1 ;; esac
    ! succeeds ""
}

# succeeds ONLY: the test that was linked, or what of it ONLY names. Without a
# limit to the memory that is only reserved, as the finder of leaks does.
succeeds() (
    # shellcheck disable=SC3045 # in every sh
    ulimit -c 0 && ulimit -S -t $seconds && ulimit -H -t $((3 * seconds))
    ulimit -S -d $most_data
    TEST_ONLY=$1 exec timeout -k 1 $((40 * seconds)) "$work/test"
) >/dev/null 2>&1 </dev/null

# verdict FILE N: makes the change, and says what came of it.
verdict() {
    python3 $mutate "$1" "$2" >"$work/mutant.c"
    if ! compile "$work/mutant.c" "$1" "$work/mutant.o"; then
        echo refused
    elif cmp -s "$work/mutant.o" "$work/same.o"; then
        echo same
    else
        # What noticed the last change may well notice this one.
        for t in $({ cat "$work/last" 2>/dev/null; tests_for "$1"; } |
            tr -s ' ' '\n' | awk '!seen[$0]++'); do
            [ -e "$t.c" ] || { echo "$t: no such test" >&2 && kill $$; }
            { fails "$t" "$1" mutant.o; } 2>/dev/null || continue
            passes=$work/passes.$(echo "$t" | tr / .) # as it is
            [ -e "$passes" ] || { ! fails "$t" "$1" same.o; } 2>/dev/null ||
                { echo "$t: fails as it is" >&2 && kill $$; }
            touch "$passes"
            echo "$t" | tee "$work/last"
            return
        done
        echo ALIVE
    fi
}

work=$BUILD/work.$$
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
mkdir -p "$work" || exit 1
for f in "$@"; do
    known=$BUILD/verdicts/$f
    mkdir -p "${known%/*}"
    [ -e "$known" ] && [ -z "$(find "$f" -newer "$known")" ] &&
        grep -v "${tab}ALIVE$" "$known" >"$work/known"
    touch "$work/known" && mv "$work/known" "$known"
    python3 $mutate "$f" | awk -v f="$f" -v known="$known" '
        BEGIN { FS = "\t"; while ((getline <known) > 0) done[$2] = 1 }
        { print f "\t" $0, ($1 in done) }' OFS="$tab"
done | awk -F "$tab" -v every="$every" -v seed="$seed" '
    (NR - 1 + seed) % every == 0 && !$NF' >"$work/todo"

of=
while IFS=$tab read -r f number line change _; do
    if [ "$f" != "$of" ]; then # From the same path: the same code, the same file.
        cp "$f" "$work/mutant.c"
        compile "$work/mutant.c" "$f" "$work/same.o"
        rm -f "$work"/passes.*
        : >"$work/last"
        of=$f
    fi
    [ "$(date +%s)" -lt "$end" ] || { echo "time is up: go on later" && break; }
    came_of_it=$(verdict "$f" "$number")
    code=$(sed -n "$line{s/^ *//;p;}" "$f")
    [ "$came_of_it" = ALIVE ] && echo "$f:$line: $change: $code" &&
        grep -qF "$f$tab$code$tab$change$tab" $equivalents && came_of_it=equal
    echo "$f$tab$number$tab$line$tab$change$tab$came_of_it" >>"$BUILD/verdicts/$f"
done <"$work/todo"

for f in "$@"; do cat "$BUILD/verdicts/$f"; done >"$BUILD/results.tsv"
awk -v judge=1 -f tools/assurance/table.awk "$BUILD/results.tsv"
