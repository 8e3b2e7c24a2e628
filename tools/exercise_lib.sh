# shellcheck shell=sh
# What exercise.sh, check_exercises.sh and others share; read with `.`.

# shown TEXT: what somebody typed, so that no terminal does what it says.
shown() {
    printf '%.200s' "$1" | tr -d '\000-\037\177'
}

# exercises_of CHAPTER: the names of its exercises, in a line.
exercises_of() {
    sed -n "s/^${1%%_*} //p" tools/exercises.txt
}

# claims_of TEST_FILE: the names of its tests, functions or rows of a table
# (common/testing/claims.h), one a line.
claims_of() {
    sed -nE 's/.*cmocka_unit_test\(([a-zA-Z0-9_]*)\).*/\1/p
        s/^ *\{"([a-zA-Z0-9]+_[a-zA-Z0-9_]*)",.*/\1/p' "$1"
}

# find_exercise CHAPTER NAME: sets name, exercise (its folder) and kind: c, or
# cu for a CUDA kernel.
find_exercise() {
    name=$2
    names=$(exercises_of "$1")
    case "$name: $names " in
    ": "*) echo "chapter ${1%%_*}: which exercise? E=NAME (NAME: $names)" |
        fitted >&2 ;;
    *" $name "*)
        exercise=$1/exercise/$name
        kind=c
        [ ! -f "$exercise/$name.cu" ] || kind=cu
        return
        ;;
    *) echo "E=$(shown "$name"): chapter ${1%%_*} has no such exercise" \
        "($names)" >&2 ;;
    esac
    return 1
}

# stands OBJECT SOURCE: is that of it, of its headers, flags and archives? What
# is tested is often another file, but the tests are the same.
stands() {
    [ -e "$1" ] && [ -z "$(find "$2" "$exercise/$name.h" "$BUILD/flags" \
        ${ARCHIVES-} ${SANITIZED-} ${CU_LIBS-} -newer "$1")" ]
}

# compile_cuda [FLAG...]: $source and launch.cu, made into C++ with hooks as
# cuda_on_cpu.mk does it, with the tests and the emulator, into $program.
compile_cuda() {
    for file in "$source" "$exercise/launch.cu"; do
        object=$program.$(basename "$file" .cu)
        [ "$file" = "$source" ] || ! stands "$object.o" "$file" || continue
        { echo "#line 1 \"$file\"" && sed -E -f "$CU2CPP" "$file"; } \
            >"$object.cpp" || return 1
        $CU_COMPILE -Wno-unused-parameter "$@" -I"$exercise" \
            -c "$object.cpp" -o "$object.o" || return 1
    done
    # shellcheck disable=SC2086 # flags, several words
    stands "$program.test.o" "$exercise/test_$name.c" ||
        $CC $FLAGS "$@" -DCUDA_ON_CPU -I"$exercise" \
            -c "$exercise/test_$name.c" -o "$program.test.o" || return 1
    # shellcheck disable=SC2086 # flags, several words
    $CU_LINK "$program.$(basename "$source" .cu).o" "$program.launch.o" \
        "$program.test.o" $CU_LIBS $ARCHIVES $LIBS -o "$program"
}

# compile [FLAG...]: the same in C, with the grader's sanitizers. A skeleton
# does not use its parameters yet, comparing a double with INFINITY, a float, is
# exact, and x / n is what it seems to be: none of these is a fault. One whose
# subject is speed is compiled as the fast steps are.
# shellcheck disable=SC2046,SC2086 # flags, several words
compile() {
    sanitize=$(cat "$BUILD/sanitizers")
    how=$sanitize
    ! grep -q 'compiled for speed' "$exercise/test_$name.c" ||
        how="-O3 -ffp-contract=fast $(cat "$BUILD/native" 2>/dev/null)"
    set -- $FLAGS $how -Wno-unused-parameter -Wno-double-promotion \
        -Wno-conversion -Wfloat-conversion "$@" -I"$exercise" -x c -c
    $CC "$@" "$source" -o "$program.answer.o" || return 1
    stands "$program.test.o" "$exercise/test_$name.c" ||
        $CC "$@" "$exercise/test_$name.c" -o "$program.test.o" || return 1
    $CC $sanitize "$program.answer.o" "$program.test.o" $SANITIZED $LIBS \
        -o "$program"
}

# fitted: what comes in, in lines of 80 columns: a longer one goes on below.
fitted() {
    awk '{
        match($0, /^ */)
        below = sprintf("%" RLENGTH + 2 "s", "")
        while (length($0) > 80) {
            for (at = 81; at > RLENGTH + 2 && substr($0, at, 1) != " "; at--)
                ;
            if (at <= RLENGTH + 2)
                break
            print substr($0, 1, at - 1)
            $0 = below substr($0, at + 1)
            match($0, /^ */)
        }
        print
    }'
}

# build FILE PROGRAM [FLAG...]: links FILE with the exercise's tests; what the
# compiler said is in PROGRAM.build, and shown if it failed.
build() {
    source=$1
    program=$2
    shift 2
    mkdir -p "${program%/*}" || return 1
    case $source in -*) source=./$source ;; esac
    case $kind in cu) compile_cuda "$@" ;; *) compile "$@" ;; esac \
        >"$program.build" 2>&1 || { cat "$program.build" >&2 && return 1; }
}
