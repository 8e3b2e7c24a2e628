# The running state of one row of the bundled layer: where m grows, l is multiplied by
# alpha. docs/04_tiled_attention.md explains the picture.

eval picture('', 760, 480)

is(kind, x) = strcol(1) eq kind ? x : NaN

set multiplot title 'When m grows, l is multiplied by α' font ',16'
eval sides(0.11, 0.86)
set xrange [-2:253]
set xtics 0,16,256 format ''
unset grid
set grid xtics ls 9

eval heights(0.58, 0.90)
set ylabel 'score s_j'
set yrange [-6:6]
set ytics -4,4,4
set label 1 'm' at 255,4.53 tc rgb '#000000'
set label 2 'scores' at 255,-1.5 tc rgb '#666666'
plot data using (is('score', $2)):(column(3)) with impulses lc rgb '#999999', \
     data using (is('tile', $2 + 8)):4:(8) with xerrorbars ls 1 pt 0

eval heights(0.14, 0.54)
set format x '%g'
set xlabel 'keys read, in tiles of 16 (head 3, query 46 of the bundled layer)'
set ylabel 'l after the tile'
set yrange [0:11.5]
set ytics 0,5
set boxwidth 12
unset label
set label 1 "l before,\ntimes α" at 255,3 tc rgb BLUE
set label 2 "new in\nthis tile" at 255,6.5 tc rgb '#8a6000'
set label 3 "dotted:\nl before,\nα above" at 255,10.7 tc rgb '#666666'
alpha = "awk -F'\\t' '$1 == \"tile\" && $5 > 0 && $6 < 0.999 * $5 \
{ printf \"%s\\t%s\\t%.2f\\n\", $2, ($5 > $7 ? $5 : $7), $6 / $5 }' ".data
plot data using (is('tile', $2 + 8)):5 with boxes lc rgb '#666666' lw 1.5 \
         dt 3 fs empty, \
     data using (is('tile', $2 + 8)):7 with boxes lc rgb ORANGE \
         fs pattern 4 border lc rgb ORANGE, \
     data using (is('tile', $2 + 8)):6 with boxes lc rgb BLUE \
         fs solid border lc rgb BLUE, \
     '< '.alpha using ($1 + 8):($2 + 0.7):3 with labels font ',11'
unset multiplot
