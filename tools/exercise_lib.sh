# shellcheck shell=sh
# tools/exercise_lib.sh: shell functions for the exercises' scripts.

# printable TEXT: prints a user's text without control characters, at most 200 bytes.
printable() {
    printf '%.200s' "$1" | tr -d '\000-\037\177'
}

exercises_of() {
    sed -n "s/^${1%%_*} //p" tools/exercises.txt
}

# tests_of TEST_FILE: prints the names of the tests: TEST(name), ALSO(name), table rows.
tests_of() {
    sed -nE 's/^(TEST|ALSO)\(([a-zA-Z0-9_]*)\).*/\2/p
        s/^ *\{"([a-zA-Z0-9]+_[a-zA-Z0-9_]*)",.*/\1/p' "$1"
}

# settings_of EXERCISE: prints the settings for the grader (CONTRIBUTING.md). A line
# with a larger indent continues the line before it.
settings_of() {
    awk '
        /^ \*\// { exit }
        inside && !/^ \*     / && text != "" { print text; text = "" }
        inside { sub(/^ \* +/, text == "" ? "" : " "); text = text $0 }
        /^ \* For the grader:$/ { inside = 1 }
        END { if (text != "") print text }' "$1/test_${1##*/}.c"
}

# is_timed EXERCISE: true if the test compares the time of the file with a fast step's.
is_timed() {
    grep -q '^#include "06_flash2/fast/' "$1/test_${1##*/}.c"
}

# hints_of EXERCISE, mistakes_of EXERCISE: print the section about the exercise.
hints_of() {
    awk -v name="${1##*/}" '
        /^## / { inside = $2 == name; next } inside' "${1%/*}/hints.md"
}
mistakes_of() {
    awk -v name="${1##*/}" '
        /^== / { inside = $2 == name; next } inside' "${1%/*}/mistakes.diff"
}

# code_of FILE: prints the file's code without comments and white space.
code_of() {
    awk '
        { text = text $0 "\n" }
        END {
            while (match(text, /\/[*\/]/)) {
                code = code substr(text, 1, RSTART - 1)
                end = substr(text, RSTART, 2) == "/*" ? "*/" : "\n"
                text = substr(text, RSTART + 2)
                at = index(text, end)
                text = at ? substr(text, at + length(end)) : ""
            }
            code = code text
            gsub(/[[:space:]]/, "", code)
            print code
        }' "$1"
}

# find_exercise CHAPTER NAME: sets `name`, `exercise` (the folder) and `kind`, which is
# `c`, or `cu`. Returns 1 if there is no such exercise.
find_exercise() {
    name=$2
    names=$(exercises_of "$1")
    case "$name: $names " in
    ": "*) echo "chapter ${1%%_*}: E is missing; allowed: E=NAME (NAME: $names)" |
        wrap >&2 ;;
    *" $name "*)
        exercise=$1/exercise/$name
        kind=c
        [ ! -f "$exercise/$name.cu" ] || kind=cu
        return
        ;;
    *) echo "E=$(printable "$name"): no such exercise in chapter ${1%%_*};" \
        "allowed: $names" >&2 ;;
    esac
    return 1
}

# is_current OBJECT SOURCE: true if the object need not be compiled again.
is_current() {
    # shellcheck disable=SC2086 # must split into words
    [ -e "$1" ] && [ -z "$(find "$2" "$exercise/$name.h" "$BUILD/flags" \
        $archives -newer "$1")" ]
}

# compile_answer FILE OBJECT [FLAG...]: compiles a student's file; also runs in the
# grader's sandbox. $headers has no headers of the judge. Some warnings are off: a
# skeleton does not use its parameters, and comparing a double with INFINITY is no
# mistake. A C file may use the constants that POSIX adds to <math.h>, such as M_LN2. A
# CUDA file may use what nvcc declares without an include.
# shellcheck disable=SC2086 # must split into words
compile_answer() {
    from=$1
    object=$2
    shift 2
    set -- "$@" -I"$headers" -I"$headers/$exercise"
    if [ "$kind" = cu ]; then
        compile_cuda "$from" "$object" -Wno-unused-parameter "$@" \
            -include cuda_runtime.h -include names.h
    else
        grep -q 'define[[:space:]]*M_' "$from" ||
            set -- "$@" -include "$headers/math_constants.h"
        $CC $FLAGS $how -Wno-unused-parameter -Wno-double-promotion \
            -Wno-conversion -Wfloat-conversion "$@" -x c -c "$from" -o "$object"
    fi
}

# compile_cuda FILE OBJECT FLAG...: translates the file for the emulator, and compiles
# it.
compile_cuda() {
    from=$1
    object=$2
    shift 2
    {
        echo "#line 1 \"$from\""
        sed -E -e "1s/^$(printf '\357\273\277')//" -f "$CU2CPP" "$from"
    } >"$object.cpp" && $CU_COMPILE "$@" -c "$object.cpp" -o "$object"
}

# needed_by OBJECT FILE: prints the undefined symbols of the object that are in FILE.
needed_by() {
    nm -u "$1" | awk '
        NR == FNR {
            gsub(/[^a-zA-Z0-9_]/, " ")
            for (k = 1; k <= NF; k++)
                declared[$k]
            next
        }
        {
            name = $2
            if (sub(/^_Z/, "", name) && match(name, /^[0-9]+/))
                name = substr(name, RLENGTH + 1, substr(name, 1, RLENGTH))
        }
        name in declared { printf "%s ", $2 }' "$2" -
}

# hide_helpers OBJECT: makes the object's symbols local, except $needed and weak ones.
# So a student's helpers, globals and main may have any name.
hide_helpers() {
    nm -g --defined-only "$1" | awk -v needed=" $needed" -v kind="$kind" '
        kind == "cu" && $2 ~ /[VWu]/ { next }
        !index(needed, " " $3 " ") { print $3 }' >"$1.hidden"
    [ ! -s "$1.hidden" ] || objcopy --localize-symbols="$1.hidden" "$1"
}

# links_alone LINK ARCHIVE...: true if the student's object calls no function of the
# tests. Without objcopy it is always true.
# shellcheck disable=SC2086 # must split into words
links_alone() {
    command -v objcopy >/dev/null || return 0
    link=$1
    shift
    hide_helpers "$program.answer.o" &&
        $link -Wl,--defsym,main=_start "$program.answer.o" "$@" $ANSWER_LIBS \
            -o "$program.alone"
}

# compile [FLAG...]: compiles $source and the tests, and links $program. C is compiled
# with the grader's sanitizers, or for a timed exercise with the flags of the fast
# steps.
# shellcheck disable=SC2046,SC2086 # must split into words
compile() {
    test=$exercise/test_$name.c
    how=
    launch=
    if [ "$kind" = cu ]; then
        launch=$program.launch.o
        link=$CU_LINK
        others="$CU_LIBS $BUILD/libanswer.a"
        archives="$CU_LIBS $ARCHIVES"
    else
        sanitize=$(cat "$BUILD/sanitizers")
        how="$sanitize${sanitize:+ -fno-sanitize=vla-bound}"
        ! is_timed "$exercise" ||
            how="-O3 -ffp-contract=fast $(cat "$BUILD/native")"
        link="$CC $sanitize"
        others=$BUILD/sanitize/libanswer.a
        archives=$SANITIZED
    fi
    compile_answer "$source" "$program.answer.o" "$@" || return
    [ -z "$launch" ] || is_current "$launch" "$exercise/launch.cu" ||
        compile_cuda "$exercise/launch.cu" "$launch" "$@" -I. -I"$exercise" || return
    is_current "$program.test.o" "$test" ||
        $CC $FLAGS $how -Wno-unused-parameter -Wno-double-promotion \
            -Wno-conversion -Wfloat-conversion "$@" ${launch:+-DCUDA_ON_CPU -Itools/emulator/include} \
            -I. -I"$exercise" -c "$test" -o "$program.test.o" || return
    if [ "$launch" ]; then
        needed=$(needed_by "$launch" "$exercise/launch.cu")
    else
        needed=$(needed_by "$program.test.o" "$exercise/$name.h")
    fi
    links_alone "$link" $others &&
        $link "$program.answer.o" $launch "$program.test.o" $archives $LIBS \
            -o "$program"
}

# first_error FILE: prints the compiler's first error, or the whole file.
first_error() {
    awk '
        /undefined reference to/ && !n {
            n = 1
            gsub(/.*undefined reference to .|.$/, "")
            print "    " $0 " is not written"
        }
        / error: / && !/^(collect2|clang)/ && n++ == 0 { left = 3 }
        left-- > 0 { print "    " $0 }
        END { if (!n) exit 1; if (n > 1) print "    (and " n - 1 " more)" }
    ' "$1" || cat "$1"
}

# wrap: prints stdin in lines of at most 80 columns. A continued line has the same mark.
wrap() {
    awk '{
        match($0, /^ *([|>] )?/)
        below = substr($0, 1, RLENGTH) "  "
        while (length($0) > 80) {
            for (at = 81; at > RLENGTH + 2 && substr($0, at, 1) != " "; at--)
                ;
            if (at <= RLENGTH + 2)
                break
            print substr($0, 1, at - 1)
            $0 = below substr($0, at + 1)
            match($0, /^ *([|>] )? */)
        }
        print
    }'
}

# build FILE PROGRAM [FLAG...]: compiles FILE and links it with the exercise's tests.
# Writes the compiler's output to PROGRAM.build. Returns 1 if the compiler fails.
build() {
    source=$1
    program=$2
    shift 2
    mkdir -p "${program%/*}" || return 1
    case $source in -*) source=./$source ;; esac
    headers=$BUILD/answer
    compile "$@" >"$program.build" 2>&1 || { cat "$program.build" >&2 && return 1; }
}
