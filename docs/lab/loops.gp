# The order in which FlashAttention and FlashAttention-2 visit tiles, and the HBM traffic
# of both, as arrows whose widths are in proportion to the bytes. docs/05_flash1.md and
# docs/06_flash2.md explain the pictures.

set style line 1 lc rgb BLUE lw 2.5
set style line 9 lc rgb '#999999' lw 0.7
unset border
unset tics

tiles(kernel, n) = int(field(sprintf('$1 == "%s" && $2 == "tiles"', kernel), n))
moved(kernel, array, n) = real(field(sprintf('$1 == "%s" && $2 == "total" && \
$3 == "%s"', kernel, array), n))
# visits(k) returns the last load of each visit, which loads O in flash1 and V in flash2.
# At that time Q_i and K_j are on chip.
visits(k) = rows(sprintf('$1 == "%s" && $2 == "read" && $3 == "%s"', name(k), \
    word('O V', k)))
name(k) = word('flash1 flash2', k)
N = tiles('flash1', 5)
title(k) = word('FlashAttention FlashAttention-2', k)

# --- the order ---------------------------------------------------------------
eval picture('_order', 860, 470)
set multiplot title 'FlashAttention visits S by columns, FlashAttention-2 by \
rows' font ',16'
eval heights(0.12, 0.80)
do for [k = 1:2] {
    Br = tiles(name(k), 3)
    Bc = tiles(name(k), 4)
    Tr = (N + Br - 1) / Br
    Tc = (N + Bc - 1) / Bc
    eval sides(0.07 + 0.5 * (k - 1), 0.47 + 0.5 * (k - 1))
    set xrange [0:Tc]
    set yrange [Tr:0]
    unset arrow
    unset label
    do for [j = 0:Tc] { set arrow from j,0 to j,Tr nohead ls 9 back }
    do for [i = 0:Tr] { set arrow from 0,i to Tc,i nohead ls 9 back }
    do for [j = 0:Tc-1] { set label sprintf('K_%d', j) at j + 0.5,-0.06 * Tr \
        center font ',12' }
    do for [i = 0:Tr-1] { set label sprintf('Q_%d', i) at -0.03 * Tc,i + 0.5 \
        right font ',12' }
    set label 99 sprintf('%s: tiles of %d × %d', title(k), Br, Bc) at Tc / 2.0,-0.16 * Tr center
    plot visits(k) using ($8 / Bc + 0.5):($7 / Br + 0.5) with lines \
             lc rgb '#56B4E9' lw 2, \
         visits(k) using ($8 / Bc + 0.5):($7 / Br + 0.5) with points pt 7 ps 2.2 \
             lc rgb 'white', \
         visits(k) using ($8 / Bc + 0.5):($7 / Br + 0.5):($0 + 1) with labels \
             font ',13'
}
set label 100 '251 queries and keys, d = 32, M = 8192 elements on chip: head 0 \
of the bundled layer' at screen 0.5,0.05 center font ',12'
set xrange [0:1]
set yrange [0:1]
eval sides(0, 0.01)
unset arrow
unset label 99
do for [t = 1:98] { unset label t }
plot NaN
unset multiplot

# --- the bytes ---------------------------------------------------------------
eval picture('_bytes', 860, 500)
unset label
set multiplot title 'FlashAttention repeats reads and writes of O,\
 FlashAttention-2 reads of K and V' font ',16'

# outline returns an arrow with the length 0.4 and the half width w.
PER_UNIT = 800e3 # bytes; S is 1 wide
at(x, y, u, v, along, aside) = sprintf('%f,%f', x + along * u - aside * v, \
    y + along * v + aside * u)
outline(x, y, u, v, w) = 'from '.at(x, y, u, v, 0, w).' to '. \
    at(x, y, u, v, 0.3, w).' to '.at(x, y, u, v, 0.3, w + 0.03).' to '. \
    at(x, y, u, v, 0.4, 0).' to '.at(x, y, u, v, 0.3, -w - 0.03).' to '. \
    at(x, y, u, v, 0.3, -w).' to '.at(x, y, u, v, 0, -w).' to '. \
    at(x, y, u, v, 0, w)

# For arrow n: the array, its label, column, position and direction.
array(n) = word('K V Q O mlL O mlL', n)
shown(n) = word('K V Q O m,l O m,l', n)
column_of(n) = int(word('4 4 4 4 4 5 5', n))
x_of(n) = real(word('0.25 0.75 -0.43 -0.43 -0.43 -0.03 -0.03', n))
y_of(n) = real(word('1.43 1.43 0.9 0.69 0.53 0.31 0.1', n))
u_of(n) = real(word('0 0 1 1 1 -1 -1', n))
v_of(n) = n <= 2 ? -1.0 : 0.0

set xrange [-0.95:1.05]
set yrange [-0.05:1.8]
eval heights(0.06, 0.91)
do for [k = 1:2] {
    eval sides(0.01 + 0.5 * (k - 1), 0.49 + 0.5 * (k - 1))
    unset label
    unset object
    set object 20 rectangle from 0,0 to 1,1 fc rgb '#999999' \
        fs solid 0.12 border lc rgb '#666666'
    set label 20 "on chip,\na tile of S\nat a time" at 0.5,0.6 center
    set label 21 title(k) at 0.5,1.72 center font ',15'
    do for [n = 1:7] {
        b = moved(name(k), array(n), column_of(n))
        if (b > 0) {
            colour = column_of(n) == 4 ? BLUE : '#D55E00'
            eval sprintf("set object %d polygon %s fc rgb '%s' fs solid %s", \
                n, outline(x_of(n), y_of(n), u_of(n), v_of(n), \
                b / PER_UNIT / 2), colour, '0.9 noborder')
            words = (n == 7 && k == 2 ? 'L' : shown(n)).sprintf(' %.0f kB', b / 1e3)
            if (n <= 2) { set label n words at x_of(n),1.52 center textcolor rgb colour
            } else { set label n words at -0.46,y_of(n) right textcolor rgb colour }
        }
    }
    set label 22 'read' at -0.46,1.06 right font ',12' tc rgb '#666666'
    set label 23 'written' at -0.46,0.42 right font ',12' tc rgb '#666666'
    set label 24 sprintf('%.0f kB in all', (moved(name(k), 'K', 4) + \
        moved(name(k), 'V', 4) + moved(name(k), 'Q', 4) + \
        moved(name(k), 'O', 4) + moved(name(k), 'O', 5) + \
        moved(name(k), 'mlL', 4) + moved(name(k), 'mlL', 5)) / 1e3) \
        at 0.5,0.12 center
    if (k == 1) { set label 30 '251 queries and keys, d = 32, fp32, M = 8192 \
elements on chip: head 0 of the bundled layer' at screen 0.5,0.03 center \
font ',12' }
    plot NaN
}
unset multiplot
