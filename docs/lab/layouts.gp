# Where pieces of 16 bytes lie, and what a descriptor says of it.
# docs/pictures.md says what they show.

letters = 18
unset border
unset tics
unset colorbox
set style fill solid 1 border lc rgb 'black'

# Light to dark, so that it can be read in black and white.
set palette defined (0 '#f7fbff', 2 '#c6dbef', 4 '#6baed6', 6 '#2171b5', \
    7 '#08306b')
set cbrange [0:7]
ink(group) = group > 4 ? 0xffffff : 0x000000
of(who) = rows(sprintf('$1 == "%s"', who))

# --- the swizzle -------------------------------------------------------------
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
    set label 20 k == 1 ? 'row after row' : 'swizzled, as TMA brings it' \
        at 4,-0.75 center
    set label 21 k == 1 ? 'row r' : '' at -0.8,-0.2 left font ',15'
    set label 22 'piece c of the row' at 4,8.45 center font ',15'
    set object 1 rectangle from 2,0 to 3,8 front fs empty border \
        lc rgb '#D55E00' lw 5
    plot of('tma') using ($3 + 0.5):($2 + 0.5):3:($3 + 1):2:($2 + 1):\
             (group(k, $3, $4)) with boxxyerror fc palette lw 0.5, \
         of('tma') using ($3 + 0.5):($2 + 0.5):\
             (sprintf('%d', group(k, $3, $4))):(ink(group(k, $3, $4))) \
             with labels tc rgb variable font ',15'
}
unset label
unset object
eval sides(0, 0.01)
set label 1 'Number and shade: which 16 of the 128 bytes of a line of banks' \
    at screen 0.5,0.05 center font ',15'
plot NaN
unset multiplot

# --- the descriptor ----------------------------------------------------------
eval picture('_descriptor', 640, 600)
bits(name, n) = int(field(sprintf('$1 == "field" && $4 == "%s"', name), n))
name(n) = n == 1 ? 'address' : n == 2 ? 'leading offset' : \
    n == 3 ? 'stride offset' : n == 4 ? 'base offset' : 'swizzle'
place(r, c) = int(field(sprintf('$1 == "wgmma" && $2 == %d && $3 == %d', r, c), \
    4))
unset label
set multiplot title 'A descriptor: where a tile begins, how to go on' \
    font ',20'
eval frame(0.03, 0.97, 0.66, 0.90)
set xrange [64:0]
set yrange [-2.6:2.4]
set object 1 rectangle from 0,0 to 64,1 fc rgb '#eeeeee' fs solid
do for [n = 1:5] {
    a = bits(name(n), 2)
    b = bits(name(n), 3) + 1
    set object n + 1 rectangle from a,0 to b,1 fc rgb n == 3 ? '#F0C05A' : \
        n == 1 ? '#6baed6' : '#ffffff' fs solid border lc rgb 'black'
    set label n sprintf('%s%d–%d', n == 1 ? 'bits ' : '', a, b - 1) \
        at 0.5 * (a + b),1.55 center font ',15'
    if (n < 4) {
        set label n + 10 name(n) at 0.5 * (a + b),-0.65 center font ',16'
        set label n + 20 sprintf('%d × 16 = %d', bits(name(n), 5), \
            bits(name(n), 6)) at 0.5 * (a + b),0.5 center font ',14'
    }
}
set label 14 'base' at 50.5,-0.65 center font ',14'
set label 15 'swizzle' at 63.9,-0.65 left font ',14'
set label 24 '0' at 50.5,0.5 center font ',14'
set label 25 sprintf('%d', bits(name(5), 5)) at 63,0.5 center font ',14'
set label 30 'leading offset: to the next 64 columns, where V is read \
transposed' at 64,-2 left font ',15'
plot NaN

eval heights(0.03, 0.64)
set xrange [-1.7:12.3]
set yrange [17.6:-1.4]
unset object
unset label
do for [c = 0:7] { set label c + 1 sprintf('%d', 8 * c) at c + 0.05,-0.45 left \
    font ',14' }
set label 10 'column' at -0.15,-0.45 right font ',14'
do for [r = 0:1] { set label 11 + r sprintf('row %d', 8 * r) \
    at -0.15,8 * r + 0.5 right font ',14' }
set object 1 rectangle from 0,0 to 2,8 front fs empty border lc rgb '#D55E00' \
    lw 4
set label 20 "one step of\nwgmma: 16 columns,\neight rows at a time" \
    at 8.15,1.2 left font ',15'
set arrow 1 from 8.5,5.2 to 8.5,8.6 lw 2
set label 21 sprintf("stride offset:\n%d bytes", 16 * (place(8, 0) - \
    place(0, 0))) at 8.15,9.6 left font ',15'
set label 22 sprintf("next step: the\naddress and %d bytes", 16 * (place(0, 2) - \
    place(0, 0))) at 8.15,13 left font ',15'
set label 23 'number: where the piece lies, in 16 bytes' at 4,17 center \
    font ',15'
plot of('wgmma') using ($3 + 0.5):($2 + 0.5):3:($3 + 1):2:($2 + 1):\
         (int($4) % 8) with boxxyerror fc palette lw 0.5, \
     of('wgmma') using ($3 + 0.5):($2 + 0.5):(sprintf('%d', $4)):\
         (ink(int($4) % 8)) with labels tc rgb variable font ',14'
unset multiplot
