#!/bin/sh
# tools/assurance/mutants.sh FILE...: makes every small change of the files (mutate.py).
# After each change it runs the tests that could fail, until one fails. If none fails, the
# change is ALIVE. A change does not count if the compiler refuses it, if the object code
# stays the same, or if docs/results/equivalents.tsv lists it. With N=n the script makes
# random changes until n changes of each file have counted; SEED determines their order.
#
# $BUILD/mutants/verdicts has the results. For a file that has not changed the script
# uses them again, except ALIVE, so a run can be stopped and resumed. Exits with 1 if a
# change is alive, or if no test failed (docs/assurance.md).
set -u
export LC_ALL=C CMOCKA_TEST_ABORT=1 OMP_WAIT_POLICY=passive
tab=$(printf '\t')

# The source always has the same path, so that the same code gives the same object.
compile() {
    # shellcheck disable=SC2086 # must split into words
    cat >"$work/$f" && $convert "$source" >"$work/mutant.c" &&
        $how -c "$work/mutant.c" -o "$work/$1" 2>/dev/null
}

# passes TEST OBJECT: true if the tests of this step pass, and then all others.
# ulimit -d limits memory, because the leak sanitizer reserves many addresses.
passes() (
    # shellcheck disable=SC2086,SC3045 # must split into words; every sh has ulimit
    $link -o "$work/test" "$tests/${1#07_cuda/}.o" "$work/$2" \
        "$BUILD/mutants/all.a" $LIBS &&
        ulimit -c 0 && ulimit -S -t $seconds && ulimit -H -t $((3 * seconds)) &&
        ulimit -S -d $most_data || exit
    for only in "$name: *" "$others"; do
        TEST_ONLY=$only timeout -k 1 $((40 * seconds)) "$work/test" || exit
    done
) >/dev/null 2>&1 </dev/null

# verdict NUMBER: makes the change in $f and prints the result: `refused` (the compiler
# fails), `same` (the object file is the same), the test that failed, or `ALIVE`.
verdict() {
    python3 tools/assurance/mutate.py "$f" "$1" | compile mutant.o ||
        { echo refused && return; }
    ! cmp -s "$work/mutant.o" "$work/same.o" || { echo same && return; }
    # The test that failed for the last change is tried first.
    for t in $(awk '!seen[$0]++' "$work/last" "$work/tests"); do
        passes "$t" mutant.o && continue
        grep -qx "$t" "$work/passed" || passes "$t" same.o ||
            { echo "$t: fails without a change" >&2 && kill $$; }
        echo "$t" | tee -a "$work/passed" | tee "$work/last"
        return
    done
    echo ALIVE
}

if [ -z "${ONE-}" ]; then
    printf '%s\n' "$@" | ONE=1 xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN || echo 2)" \
        sh "$0" || exit 1
    for f in "$@"; do cat "$BUILD/mutants/verdicts/$f"; done |
        awk -F '\t' -v OFS='\t' -v table="$BUILD/mutants/results.tsv" '
        { sub(/\/[^\/]*$/, "", $1); n[$1 OFS ($5 ~ /\// ? "killed" : $5)]++ }
        $5 ~ /\// { killed++ }
        $5 == "ALIVE" { alive++ }
        END {
            for (kind in n)
                print kind, n[kind] >table
            printf "%d passed, %d failed\n", killed, alive
            exit alive > 0 || !killed
        }'
    exit
fi

f=$1
[ -f "$f" ] || { echo "$f: no such file" >&2; exit 1; }
work=$BUILD/mutants/work.$$
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
known=$BUILD/mutants/verdicts/$f
mkdir -p "$work/${f%/*}" "${known%/*}" || exit 1
# If $f is a header, the script compiles a source that includes it from $work.
unit=$(grep -ls "/${f##*/}\"" 07_cuda/rung[!01]*.cu 07_cuda/*/b[1-9]*.cu \
    07_cuda/*.cu 06_flash2/*/[!t]*.c | head -1)
case ${unit:-$f} in *.h) unit=$(echo "${f%/*}"/*_simd.c) ;; esac
source=${unit:-$work/$f} unit=${unit:-$f}
# With these flags an access beyond an array of fixed size ends the program.
how="$CC $COMPILE -iquote $work"
how="$how -fsanitize=bounds -fsanitize-undefined-trap-on-error"
convert=cat link="$CC -fsanitize=leak" tests=$BUILD others=
# `seconds` limits the processor time of a test. All tests of a program together have
# three times as much. On a busy machine set PATIENCE to a factor for both.
seconds=$((3 * ${PATIENCE:-1})) most_data=8000000
case $unit in
07*)
    convert='sed -E -f tools/emulator/cuda_on_cpu/cu2cpp.sed' others='!*: *'
    how="$CU_COMPILE -g0 -w -iquote $work" link=$CU_LINK tests=$BUILD/07_cuda/cpu
    # The emulator allocates its shadow memory, so the limit of data is larger.
    seconds=$((60 * ${PATIENCE:-1})) most_data=50000000 ;;
*fast/flash2_lanes.c | *_simd.c)
    how="$how -O3 -ffp-contract=fast -DTARGET=native $NATIVE" ;;
esac
# $work/tests lists the tests that could fail, the likeliest first.
name=$(basename "${unit#*rung*_}" ".${unit##*.}") cu=07_cuda/tests
heads="0[4-6]*/test_*.c 06_flash2/[fv]*/test_*.c tools/flash/test_*.c 0[56]*/backward/test_*.c"
case $unit in
0[1-3]*) likely= ;;
07*/b[1-9]*) likely=$cu/test_backward_rungs.c ;;
*_fp8.cu) likely=$cu/test_hopper.c ;;
*rung[89]* | *rung1[02]*) likely="$cu/test_h*.c $cu/test_counts.c" ;;
07*) likely="$cu/test_l*.c $cu/test_counts.c" ;;
0*) likely=$heads ;;
*) likely="common/tests/test_*.c $heads" ;;
esac
for t in "common/tests/test_$name.c" "${unit%/*}"/test_*.c \
    "$cu/test_$name"*.c $likely; do
    # test_programs runs other programs, which do not contain the change. test_bf16 tests
    # bf16_heads.c, and needs more than `seconds` without AMX. A test of chapter 07 does
    # not link the files of other chapters, even if the names are equal.
    case $unit:$t in
    *:*/test_programs.c | *:*/test_bf16.c) ;;
    0[1-6]*:07* | common*:07* | tools*:07*) ;;
    *) [ ! -e "$t" ] || echo "${t%.c}" ;;
    esac
done >"$work/tests"
[ -n "$(find "$f" -newer "$known" 2>&1)" ] ||
    grep -v "${tab}ALIVE$" "$known" >"$work/known"
: >>"$work/known" && mv "$work/known" "$known"
compile same.o <"$f"
: >"$work/passed" && : >"$work/last"
# shellcheck disable=SC2086 # must split into words
python3 tools/assurance/mutate.py "$f" ${N:+shuffled $SEED} >"$work/changes"
counted=0
while IFS=$tab read -r number line change; do
    [ "$counted" != "${N-}" ] || break
    if ! grep -q "^$f$tab$number$tab" "$known"; then
        result=$(verdict "$number")
        code=$(sed -n "$line{s/^ *//;p;}" "$f")
        [ "$result" = ALIVE ] && echo "$f:$line: $change: $code" &&
            grep -qF "$f$tab$code$tab$change$tab" \
                docs/results/equivalents.tsv && result=equal
        echo "$f$tab$number$tab$line$tab$change$tab$result" >>"$known"
    fi
    grep -q "^$f$tab$number$tab.*$tab[a-z]*$" "$known" ||
        counted=$((counted + 1))
done <"$work/changes"
