#!/bin/sh
# Runs in a sandbox. Compiles a submission like `make exercise`, links the worker, and
# writes the worker to stdout. ./exercise has variables that kit.sh wrote.
# shellcheck disable=SC2086,SC2154 # must split into words; ./exercise sets them
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
