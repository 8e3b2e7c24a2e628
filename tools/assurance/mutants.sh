#!/bin/sh
# tools/assurance/mutants.sh FILE...: makes every small change of the files (mutate.py).
# After each change it runs the tests that could fail, until one fails. If none fails, the
# change is ALIVE. A change does not count if the compiler refuses it, if the object code
# stays the same, or if docs/results/equivalents.tsv lists it. With N=n the script makes
# random changes until n changes of each file have counted; SEED determines their order.
#
# $BUILD/mutants/verdicts has the results, and results.tsv their sums (common/judge has
# a line, but tools/emulator has one for all its folders). For a file that has not
# changed the script uses them again, except ALIVE, so a run can be stopped and resumed.
# Exits with 1 if a change is alive, or if no test failed (docs/assurance.md).
set -u
export LC_ALL=C CMOCKA_TEST_ABORT=1 OMP_WAIT_POLICY=passive
tab=$(printf '\t')

# The source always has the same path, so that the same code gives the same object. A
# Python file that can be parsed is its own object.
compile() {
    # shellcheck disable=SC2086 # must split into words
    cat >"$work/$f" || return
    case $f in
    *.py)
        python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$work/$f" &&
            cp "$work/$f" "$work/$1"
        return
        ;;
    esac
    # shellcheck disable=SC2086 # must split into words
    $convert "$source" >"$work/mutant.c" &&
        $how -c "$work/mutant.c" -o "$work/$1" 2>/dev/null
}

# links OBJECTS PROGRAM: links the changed object $object with these and all others.
links() {
    # shellcheck disable=SC2086 # must split into words
    mkdir -p "${2%/*}" && $link -o "$2" $1 "$work/$object" $all $LIBS
}

# passes_script TEST: true if a test passes that runs other programs. They get the change,
# in a folder instead of $BUILD. Returns 9 if TEST is an ordinary test program.
passes_script() {
    folder=$work/build
    case $1 in
    tools/test_programs)
        for main in 0[1-6]*/main.c 0[56]*/backward/main.c tools/flash/main.c; do
            links "$BUILD/${main%.c}.o" "$folder/${main%main.c}run" || return
        done
        # The --csv of chapter 03 computes for more than `seconds`.
        # shellcheck disable=SC3045 # every sh has ulimit
        ulimit -S -t $((3 * seconds))
        $CC $COMPILE -DPROGRAMS="\"$PWD/$folder\"" -c $1.c -o "$work/programs.o" &&
            links "$work/programs.o" "$work/test" &&
            TEST_ONLY="!chapter_07*" "$work/test" ;;
    tools/assurance/faults)
        # The leak sanitizer cannot run under strace. ASAN_OPTIONS could not switch it off,
        # since the read of the environment fails, too.
        link=${link% -fsanitize=leak}
        echo 'const char *__asan_default_options(void) { return "detect_leaks=0"; }' |
            $CC -x c -c -o "$work/no_leaks.o" - &&
            links "$BUILD/tools/flash/main.o $work/no_leaks.o" \
                "$folder/tools/flash/run" && sh $1.sh "$folder" ;;
    06_flash2/ring/test_program)
        links "$BUILD/${1%/*}/main.o" "$folder/${1%/*}/run" &&
            links "$BUILD/${1%/*}/test_ring.o" "$folder/${1%/*}/test_ring" &&
            sh $1.sh "$folder" 1 2 3 ;;
    */test_cuda_check)
        root=.
        mkdir -p "$folder/07_cuda" "$folder/tools/flash" &&
            cp "$BUILD"/07_cuda/hooks "$BUILD"/07_cuda/cxx "$folder/07_cuda" &&
            ln -sf "$PWD/$BUILD/tools/flash/run" "$folder/tools/flash" || return
        lib=$folder/07_cuda/libcuda_on_cpu.a
        cp "$CUDA_ON_CPU_LIB" "$lib" || return
        case $f in
        *.py)
            root=$work/tree
            mkdir -p "$root/tools" && cp -r tools/emulator "$root/tools" &&
                cp "$work/$object" "$root/$f" ;;
        *) # From an archive with both objects the linker may take the unchanged one.
            ar d "$lib" "$(basename "$f" .cpp).o" && ar qs "$lib" "$work/$object" ;;
        esac || return
        printf '#!/bin/sh\nCUDA_CHECK_BUILD=%s exec python3 -B %s "$@"\n' "$PWD/$folder" \
            "$PWD/$root/tools/emulator/cuda_check/cuda_check.py" >"$work/cuda-check"
        chmod +x "$work/cuda-check"
        sh "$1.sh" "$PWD/$work/cuda-check" ;;
    *) return 9 ;;
    esac
}

# passes TEST OBJECT: true if the tests of this step pass, and then all others.
# ulimit -d limits memory, because the leak sanitizer reserves many addresses.
passes() (
    object=$2 objects=$tests/${1#07_cuda/}.o
    # shellcheck disable=SC3045 # every sh has ulimit
    ulimit -c 0 && ulimit -S -t $seconds && ulimit -H -t $((3 * seconds)) &&
        ulimit -S -d $most_data || exit
    passes_script "$1"
    status=$?
    [ $status = 9 ] || exit $status
    case $1 in */gallery) objects=$tests/${1%/*}/*.o ;; esac
    links "$objects" "$work/test" || exit
    case $1 in
    *cpu/tests/exit) exec timeout 60 sh "${1%/exit}/test_exit.sh" "$work/test" ;;
    *cpu/tests/test_hopper)
        for seed in 1 2 3; do
            CUDA_ON_CPU_SEED=$seed timeout 60 "$work/test" || exit
        done ;;
    esac
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
        awk -F '\t' -v OFS='\t' -v commit="$COMMIT" \
            -v table="$BUILD/mutants/results.tsv" '
        { folders = split($1, name, "/") - 1 }
        { folder = name[1] (folders > 1 ? "/" name[2] : "") }
        { n[folder OFS ($5 ~ /\// ? "killed" : $5)]++ }
        $5 ~ /\// { killed++ }
        $5 == "ALIVE" { alive++ }
        END {
            for (kind in n)
                print kind, n[kind], commit >table
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
convert=cat link="$CC -fsanitize=leak" tests=$BUILD others= all=$BUILD/mutants/all.a
# `seconds` limits the processor time of a test. All tests of a program together have
# three times as much. On a busy machine set PATIENCE to a factor for both.
seconds=$((3 * ${PATIENCE:-1})) most_data=8000000
slow=test_bf16.c # without AMX it needs more, so it tests only its own files
case $unit in
07*)
    convert='sed -E -f tools/emulator/cuda_on_cpu/cu2cpp.sed' others='!*: *'
    how="$CU_COMPILE -g0 -w -iquote $work" link=$CU_LINK tests=$BUILD/07_cuda/cpu
    # The emulator allocates its shadow memory, so the limit of data is larger.
    all="$all $CUDA_ON_CPU_LIB"
    seconds=$((60 * ${PATIENCE:-1})) most_data=50000000 ;;
*.cpp | *.py)
    how="$EMU_COMPILE -g0 -w -iquote $work" link=$CU_LINK tests=$BUILD/07_cuda/cpu
    all=$CUDA_ON_CPU_LIB
    seconds=$((10 * ${PATIENCE:-1})) most_data=50000000 ;;
*/ring/*)
    how="mpicc $COMPILE -fvisibility=hidden -iquote $work"
    link='mpicc -Wl,--exclude-libs,ALL' all="$BUILD/mutants/ring.a $all" ;;
tools/* | common/[!st]*/*)
    # The sanitizer finds accesses beyond allocated memory, and leaks. It limits memory.
    how="$how -fsanitize=address" link="$CC -fsanitize=address" most_data=unlimited
    export ASAN_OPTIONS=hard_rss_limit_mb=4000:max_allocation_size_mb=4000:\
allocator_may_return_null=1:abort_on_error=0 ;;
*fast/flash2_lanes.c | *_simd.c)
    how="$how -O3 -ffp-contract=fast -DTARGET=native $NATIVE" ;;
*fast/*amx*.c | *fast/*pairs.c) # every CPU runs their model
    slow='' model=model seconds=$((10 * ${PATIENCE:-1}))
    case $unit in *pairs.c) model=pairs_model ;; esac
    how="$how $MODEL -DTARGET=$model"
    export FLASH2_TILES=$model ;;
*fast/bf16_heads.c) slow='' seconds=$((20 * ${PATIENCE:-1})) ;;
esac
# $work/tests lists the tests that could fail, the likeliest first.
name=$(basename "${unit#*rung*_}" ".${unit##*.}") cu=07_cuda/tests
heads="0[4-6]*/test_*.c 06_flash2/[fv]*/test_*.c tools/flash/test_*.c 0[56]*/backward/test_*.c"
cpu=tools/emulator/cuda_on_cpu check=tools/emulator/cuda_check/tests/test_cuda_check.sh
case $unit in
*trace.c | */precision_loss.c) likely=tools/test_programs.c ;;
0[1-3]*) likely= ;;
*fast/*amx*.c | *fast/*pairs.c | *fast/bf16_heads.c)
    likely="tools/flash/test_flash.c 06_flash2/fast/test_bf16.c" ;;
*.py) likely=$check ;;
*.cpp) likely="$cpu/tests/test_[!e]*.cu $cpu/bugs/gallery.cu $cpu/tests/exit.cu $check" ;;
*/ring/*) likely=06_flash2/ring/test_program.sh ;;
07*/b[1-9]*) likely=$cu/test_backward_rungs.c ;;
*_fp8.cu) likely=$cu/test_hopper.c ;;
*rung[89]* | *rung1[02]*) likely="$cu/test_h*.c $cu/test_counts.c" ;;
07*) likely="$cu/test_l*.c $cu/test_counts.c" ;;
0*) likely=$heads ;;
tools/*) likely="$heads tools/test_programs.c tools/assurance/faults.sh" ;;
*) likely="common/tests/test_*.c $heads tools/test_programs.c tools/assurance/faults.sh" ;;
esac
for t in "common/tests/test_$name.c" "${unit%/*}"/test_*.c \
    "$cu/test_$name"*.c $likely; do
    # A test of chapter 07 does not link the files of other chapters, even if names are
    # equal.
    case $unit:$t in
    *:*/"$slow" | *:*/test_ring.c) ;;
    0[1-6]*:07* | common*:07* | tools*:07*) ;;
    *) [ ! -e "$t" ] || echo "${t%.*}" ;;
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
        [ "$result" = ALIVE ] && printf '%s\n' "$f:$line: $change: $code" &&
            grep -qF "$f$tab$code$tab$change$tab" \
                docs/results/equivalents.tsv && result=equal
        printf '%s\n' "$f$tab$number$tab$line$tab$change$tab$result" >>"$known"
    fi
    grep -q "^$f$tab$number$tab.*$tab[a-z]*$" "$known" ||
        counted=$((counted + 1))
done <"$work/changes"
