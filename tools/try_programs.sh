#!/bin/sh
# tools/try_programs.sh PROGRAM...: runs each chapter's program in the ways that
# every one knows, and looks only at how it ends. For the sanitizers' build.
set -u
. tools/count.sh

# speaks PROGRAM [OPTION]: it must succeed and print something.
speaks() {
    sh tools/limit.sh 600 "$@" && [ -s "$tmp/log" ]
}

for program in "$@"; do
    must "$program" speaks "$program"
    for option in --help --list --trace --csv; do
        must "$program $option" speaks "$program" "$option"
    done
done
finish
