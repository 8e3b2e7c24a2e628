# The weights among eight tokens. One query's weights are lines whose widths are in
# proportion to the weights; all queries' weights are a matrix of numbers.
# docs/00_attention.md explains the picture.

eval picture('', 860, 430)
unset border
unset tics
unset colorbox
set palette defined (0 '#ffffff', 0.4 '#9ecae1', 1 '#2171b5')
set cbrange [0:0.6]

token(i) = field(sprintf('$1 == "token" && $2 == %d', i), 3)
weight(i, j) = real(field(sprintf('$1 == "weight" && $2 == %d && $3 == %d', \
    i, j), 5))
ASKS = 4

set multiplot
# --- one query ---------------------------------------------------------------
eval frame(0.02, 0.43, 0.05, 0.87)
set xrange [0:10]
set yrange [7.6:-0.6]
set label 30 "“".token(ASKS)."” attends to all eight" at 4.2,-1.35 center
set label 31 'queries' at 1.9,-0.7 right tc rgb '#555555' font ',12'
set label 32 'keys, with their weights' at 6,-0.7 left tc rgb '#555555' \
    font ',12'
do for [j = 0:7] {
    w = weight(ASKS, j)
    set label 1 + j token(j) at 1.9,j right \
        tc rgb (j == ASKS ? '#000000' : '#888888')
    set label 11 + j sprintf('%s  %.2f', token(j), w) at 6,j left
    set arrow 1 + j from 2.1,ASKS to 5.8,j nohead lw 0.5 + 22 * w \
        lc rgb '#56B4E9'
}
plot NaN
unset label
unset arrow

# --- all of them -------------------------------------------------------------
set lmargin at screen 0.55
set rmargin at screen 0.99
set bmargin at screen 0.12
set xrange [-0.5:7.5]
set yrange [7.5:-0.5]
set label 30 'all eight queries: the weights of each row add up to 1' \
    at 3,-1.35 center
do for [j = 0:7] {
    set label 1 + j token(j) at -0.65,j right
    set label 11 + j token(j) at j,-0.75 center
}
set label 31 'rows: queries; columns: keys' at 3.5,8 center \
    tc rgb '#555555' font ',12'
cells = rows('$1 == "weight"')
plot cells using 3:2:(0.48):(0.48):5 with boxxyerror lc palette lw 0.5 \
         fs solid border lc rgb '#bbbbbb', \
     cells using 3:2:(sprintf('%.2f', $5)) with labels font ',12'
unset multiplot
