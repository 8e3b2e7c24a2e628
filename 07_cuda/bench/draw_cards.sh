#!/bin/sh
# draw_cards.sh PICTURE: draws PICTURE.svg, the speed of every rung on all cards with a
# table in $TABLES (cards.gp). Without a table or gnuplot draws nothing.
set -u
export LC_ALL=C
tab=$(printf '\t')
tables=$(grep -l "^card$tab" "${TABLES:-docs/results}"/*.tsv | tr '\n' ' ')
[ "$tables" ] && command -v gnuplot >/dev/null || exit 0
mkdir -p "${1%/*}" && gnuplot -e "tables = '$tables'; data = ''; out = '$1'" \
    tools/prelude.gp 07_cuda/bench/cards.gp && echo "drawn   $1.svg"
