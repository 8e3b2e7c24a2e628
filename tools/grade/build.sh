#!/bin/sh
# Runs in a sandbox: compiles a submission as `make exercise` does, links the worker and
# writes it to stdout. kit.sh wrote ./exercise.
# shellcheck disable=SC2086,SC2154 # flags, several words
set -eu
# shellcheck source=tools/exercise_lib.sh
. ./exercise_lib.sh
# shellcheck disable=SC1091 # a generated file
. ./exercise
compile_answer work/*/*.* answer.o -w
hide_helpers answer.o
$link ./*.o ./*.a $ANSWER_LIBS -o worker 2>link.log || {
    first_error link.log >&2
    exit 1
}
cat worker
