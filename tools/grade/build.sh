#!/bin/sh
# In a sandbox: makes a worker of a submission, as make exercise makes a test of
# it, and prints it. kit.sh wrote ./exercise.
# shellcheck disable=SC2086,SC2154 # flags, several words
set -eu
# shellcheck source=tools/exercise_lib.sh
. ./exercise_lib.sh
# shellcheck disable=SC1091 # it is made
. ./exercise
answer work/*/*.* answer.o -w
only_asked answer.o
$link ./*.o ./*.a $ANSWER_LIBS -o worker 2>link.log || {
    complaint link.log >&2
    exit 1
}
cat worker
