#!/bin/sh
# tools/what_to_read.sh NN: prints in one line what to read of a chapter: its first
# kernel with its number of lines, the later steps, main.c.
set -u
export LC_ALL=C
step=$(awk -v n="$1" 'index($1, n "_") == 1 { print $1; exit }' tools/steps.txt)
more=$(awk -v n="$1" 'index($1, n "_") == 1' tools/steps.txt | wc -l)
lines=$(sed -n '/ANCHOR: kernel/,/ANCHOR_END: kernel/p' "$step" |
    grep -c -v -e '^ *$' -e '^{$' -e '^ */\*.*\*/$')
then=
[ "$more" -gt 1 ] && then=", then make diff-$1"
echo "read: $step ($lines lines)$then, then main.c"
