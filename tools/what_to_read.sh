#!/bin/sh
# tools/what_to_read.sh NN: lists what to read in chapter NN, in lines of at most 80
# columns: the first kernel with its number of lines, the diffs of the later steps, and
# main.c.
set -u
export LC_ALL=C
step=$(awk -v n="$1" 'index($1, n "_") == 1 { print $1; exit }' tools/steps.txt)
more=$(awk -v n="$1" 'index($1, n "_") == 1' tools/steps.txt | wc -l)
lines=$(sed -n '/ANCHOR: kernel/,/ANCHOR_END: kernel/p' "$step" |
    grep -c -v -e '^ *$' -e '^{$' -e '^ */\*.*\*/$')
echo "read: $step ($lines lines)"
[ "$more" -le 1 ] || echo "then: make diff-$1"
echo "then: ${step%%/*}/main.c"
