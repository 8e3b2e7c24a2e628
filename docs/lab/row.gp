# One real row: the running state, tile by tile, and two halves that are added.
# Given: data, what build/docs/lab/row printed; out, the pictures' path without
# their last part; or dumb=1. docs/pictures.md says what they show.

if (!exists('dumb')) dumb = 0
set encoding utf8
set datafile separator tab
if (dumb) set terminal dumb size 79,60; else \
    set terminal svg size 760,640 font 'Helvetica,Arial,sans-serif,14' \
        background rgb 'white'

# Okabe and Ito's colours; what is filled also has a pattern or a shade of its
# own in black and white.
BLUE = '#0072B2'
ORANGE = '#E69F00'
GREY = '#bbbbbb'
set style line 1 lc rgb '#000000' lw 2.5 dt 1
set style line 8 lc rgb '#999999' lw 1 dt 1
set style line 9 lc rgb '#dddddd' lw 1 dt 1
set border 3
set tics nomirror
unset key

is(kind, x) = strcol(1) eq kind ? x : NaN
half(k, x) = (column(2) < 125) == (k == 0) ? x : NaN
of_half(k, col) = real(system(sprintf("awk -F'\\t' '$1 == \"half\" && \
$2 == %d { print $%d }' %s", k, col, data)))

# --- l shrinks when m jumps; O stays exact -----------------------------------
if (!dumb) set output out.'_state.svg'
set multiplot title 'When m jumps, l and O shrink by α; what O says stays \
exact' font ',16'
set lmargin at screen 0.11
set rmargin at screen 0.86
set xrange [-2:253]
set xtics 0,16,256 format ''
set grid xtics ls 9

set tmargin at screen 0.91
set bmargin at screen 0.66
set ylabel 'score s_j'
set yrange [-6:6]
set ytics -4,4,4
set label 1 'm' at 255,4.53 tc rgb '#000000'
set label 2 'scores' at 255,-1.5 tc rgb '#666666'
plot data using (is('score', $2)):(column(3)) with impulses ls 8, \
     data using (is('tile', $2 + 8)):4:(8) with xerrorbars ls 1 pt 0

set tmargin at screen 0.62
set bmargin at screen 0.33
set ylabel 'l after the tile'
set yrange [0:11.5]
set ytics 0,5
set boxwidth 12
unset label
set label 1 "l before,\ntimes α" at 255,3 tc rgb BLUE
set label 2 "new in\nthis tile" at 255,6.5 tc rgb '#8a6000'
set label 3 "dashed:\nl before" at 255,10 tc rgb '#666666'
alpha = "awk -F'\\t' '$1 == \"tile\" && $5 > 0 && $6 < 0.999 * $5 \
{ printf \"%s\\t%s\\t%.2f\\n\", $2, ($5 > $7 ? $5 : $7), $6 / $5 }' ".data
plot data using (is('tile', $2 + 8)):5 with boxes lc rgb '#666666' lw 1.5 \
         dt 3 fs empty, \
     data using (is('tile', $2 + 8)):7 with boxes lc rgb ORANGE \
         fs pattern 4 border lc rgb ORANGE, \
     data using (is('tile', $2 + 8)):6 with boxes lc rgb BLUE \
         fs solid border lc rgb BLUE, \
     '< '.alpha using ($1 + 8):($2 + 0.7):(sprintf('α %.2f', $3)) \
         with labels font ',11'

set tmargin at screen 0.29
set bmargin at screen 0.12
set ylabel "error of O\nso far"
set logscale y
set yrange [1e-9:1]
set ytics ('10^{−8}' 1e-8, '10^{−4}' 1e-4, '1' 1)
set format x '%g'
set xtics 0,16,256 font ',12'
set xlabel 'keys seen, in tiles of 16 (head 3, query 46 of the bundled layer)'
unset label
set label 1 "fp32's ε" at 255,1.19e-7 tc rgb '#666666'
plot 1.19e-7 ls 8 dt 3, \
     data using (is('tile', $2 + 8)):8 with points pt 7 ps 0.9 lc rgb '#000000'
unset multiplot

# --- two halves --------------------------------------------------------------
reset
set encoding utf8
set datafile separator tab
set border 3
set tics nomirror
unset key
if (!dumb) set output out.'_halves.svg'
if (!dumb) set terminal svg size 860,620
set multiplot title 'Partial outputs add only after both are rescaled to one \
maximum' font ',16'

set lmargin at screen 0.09
set rmargin at screen 0.97
set tmargin at screen 0.91
set bmargin at screen 0.63
set xrange [-3:253]
set yrange [-6:7]
set ytics -4,4,4
set xlabel 'key j (head 3, query 46 of the bundled layer)'
set ylabel 'score s_j'
set arrow 1 from -1,of_half(0, 3) to 124,of_half(0, 3) nohead lw 2 lc rgb BLUE
set arrow 2 from 126,of_half(1, 3) to 250,of_half(1, 3) nohead lw 2 dt 2 \
    lc rgb '#8a6000'
set arrow 3 from 125,-6 to 125,7 nohead lw 1 dt 3 lc rgb '#666666'
set label 1 sprintf('m_1 = %.2f,  l_1 = %.2f', of_half(0, 3), of_half(0, 4)) \
    at 3,of_half(0, 3) + 1 tc rgb BLUE
set label 2 sprintf('m_2 = %.2f,  l_2 = %.2f', of_half(1, 3), of_half(1, 4)) \
    at 129,of_half(1, 3) + 1 tc rgb '#8a6000'
plot data using (is('score', half(0, $2))):3 with impulses lc rgb BLUE lw 1.5, \
     data using (is('score', half(1, $2))):3 with impulses lc rgb ORANGE lw 1.5

unset label
unset arrow
set tmargin at screen 0.46
set bmargin at screen 0.12
set xrange [-0.7:7.7]
set xtics 0,1,7
set xlabel 'column c'
set boxwidth 0.36
set style fill solid
out_of(c, x) = strcol(1) eq 'output' && column(2) < 8 ? column(2) + c : NaN
set yrange [-4:4]
set ytics -4,2,4
set xzeroaxis lt -1
set style fill solid border lc rgb '#000000'

set lmargin at screen 0.09
set rmargin at screen 0.34
set ylabel 'Σ e^{s_j − m} v_{jc}' offset 1
set title '1  apart: cannot be added' font ',14'
plot data using (out_of(-0.19, 0)):3 with boxes lc rgb GREY lw 0.5, \
     data using (out_of(0.19, 0)):4 with boxes lc rgb '#666666' lw 0.5 \
         fs pattern 4 border lc rgb '#000000'

set lmargin at screen 0.41
set rmargin at screen 0.66
unset ylabel
set title sprintf('2  times %.2f and %.2f', of_half(0, 5), of_half(1, 5)) \
    font ',14'
plot data using (out_of(-0.19, 0)):5 with boxes lc rgb BLUE lw 0.5, \
     data using (out_of(0.19, 0)):6 with boxes lc rgb ORANGE lw 0.5 \
         fs pattern 4 border lc rgb '#000000'

set lmargin at screen 0.72
set rmargin at screen 0.97
set yrange [-0.6:0.6]
set ytics -0.6,0.2
set boxwidth 0.6
set title '3  added, over l: O' font ',14'
set label 1 'dots: in float64' at -0.5,0.52
plot data using (out_of(0, 0)):7 with boxes lc rgb '#56B4E9' lw 0.5, \
     data using (out_of(0, 0)):8 with points pt 7 ps 0.6 lc rgb '#000000'
unset multiplot
