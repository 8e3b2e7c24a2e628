# The position in shared memory of each 16-byte piece of a tile. docs/07_cuda.md explains
# the picture.

letters = 18
unset border
unset tics
unset colorbox
set style fill solid 1 border lc rgb 'black'

# The colours go from light to dark, so that they differ in black and white.
set palette defined (0 '#f7fbff', 2 '#c6dbef', 4 '#6baed6', 6 '#2171b5', \
    7 '#08306b')
set cbrange [0:7]
ink(group) = group > 4 ? 0xffffff : 0x000000

# A line has: row, piece of the row, position of the piece with the 128-byte swizzle.
set print $pieces
do for [r = 0:7] { do for [c = 0:7] {
    print sprintf("%d\t%d\t%d", r, c, 8 * r + (c ^ r))
} }
unset print

eval picture('_swizzle', 640, 420)
set multiplot title 'A column of eight pieces: one group of banks, or eight' \
    font ',20'
set yrange [8.6:-1.1]
set xrange [-0.9:8.1]
eval heights(0.13, 0.86)
group(k, c, place) = k == 1 ? c : int(place) % 8
do for [k = 1:2] {
    eval sides(0.05 + 0.48 * (k - 1), 0.50 + 0.48 * (k - 1))
    unset label
    unset object
    do for [n = 0:7] { set label n + 1 sprintf('%d', n) at -0.3,n + 0.5 right \
        font ',15' }
    set label 20 k == 1 ? 'row after row' : 'swizzled' \
        at 4,-0.75 center
    set label 21 k == 1 ? 'row r' : '' at -0.8,-0.2 left font ',15'
    set label 22 'piece c of the row' at 4,8.45 center font ',15'
    set object 1 rectangle from 2,0 to 3,8 front fs empty border \
        lc rgb '#D55E00' lw 5
    plot $pieces using ($2 + 0.5):($1 + 0.5):2:($2 + 1):1:($1 + 1):\
             (group(k, $2, $3)) with boxxyerror fc palette lw 0.5, \
         $pieces using ($2 + 0.5):($1 + 0.5):\
             (sprintf('%d', group(k, $2, $3))):(ink(group(k, $2, $3))) \
             with labels tc rgb variable font ',15'
}
unset label
unset object
eval sides(0, 0.01)
set label 1 'Number and shade: the position of a piece in the 128 bytes of all banks' \
    at screen 0.5,0.05 center font ',15'
plot NaN
unset multiplot
