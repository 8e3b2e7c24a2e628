# shellcheck shell=sh
# What exercise.sh and check_exercises.sh share; read with `.`.

# find_exercise CHAPTER: sets exercise (the folder) and name (of what is asked).
find_exercise() {
    exercise=$1/exercise
    for test in "$exercise"/test_*.c; do
        name=${test##*/test_}
        name=${name%.c}
        [ -f "$test" ] && return 0
    done
    echo "$1: has no exercise" >&2
    return 1
}

# build FILE PROGRAM [FLAG...]: links FILE with the exercise's tests; what the
# compiler said is in PROGRAM.build, and shown if it failed. A skeleton does
# not use its parameters yet, so that is no fault.
build() {
    source=$1
    program=$2
    shift 2
    mkdir -p "${program%/*}" || return 1
    case $source in
    -*) source=./$source ;;
    esac
    # shellcheck disable=SC2086 # flags, several words
    if ! $CC $FLAGS -Wno-unused-parameter "$@" -I"$exercise" \
        "$source" "$exercise/test_$name.c" $LIBS -o "$program" \
        >"$program.build" 2>&1; then
        cat "$program.build" >&2
        return 1
    fi
}
