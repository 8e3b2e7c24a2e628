# Who works when in rungs 8, 9 and 10: two consumers, A and B, and the loads.
# Given: data, what build/docs/lab/timeline printed; out, the picture's path
# without .svg; or dumb=1. docs/pictures.md says what it shows.

if (!exists('dumb')) dumb = 0
set encoding utf8
set datafile separator tab
if (dumb) set terminal dumb size 79,40; else \
    set terminal svg size 640,640 font 'Helvetica,Arial,sans-serif,18' \
        background rgb 'white'
if (!dumb) set output out.'.svg'

BLUE = '#0072B2'
ORANGE = '#F0C05A'
GREY = '#cccccc'
unset key
set border 0
unset ytics
unset xtics

rung(k) = word('wgmma roles pingpong', k)
about(k) = k == 1 ? 'Rung 8: all in one role' : \
    k == 2 ? 'Rung 9: one loads, two compute' : 'Rung 10: softmax beside products'
busy(k) = int(system(sprintf("awk -F'\\t' '$1 == \"busy\" && $2 == \"%s\" \
{ print $3 }' %s", rung(k), data)))
end = real(system("awk -F'\\t' '$7 > m { m = $7 } END { print m }' ".data))

# The lower edge of a row: loads, A's products and softmax, B's.
row(kind, who) = kind eq 'loads' ? 4.6 : \
    (who eq 'A' ? 2.4 : 0) + (kind eq 'products' ? 1 : 0)
wide(from, to, text) = to - from > 600 ? text : ''
first_softmax(k) = real(system(sprintf("awk -F'\\t' '$2 == \"%s\" && \
$5 == \"s\" && !n++ { print ($6 + $7) / 2 }' %s", rung(k), data)))
boxes(k, what) = sprintf("< awk -F'\\t' '$1 == \"box\" && $2 == \"%s\" && \
($5 == \"%s\" || $3 == \"%s\")' %s", rung(k), what, what, data)

set multiplot title 'Tensor cores wait for softmax, until rung 10' \
    font ',20'
set lmargin at screen 0.08
set rmargin at screen 0.98
set xrange [0:end]
set yrange [-0.7:6.6]
set style fill solid 1 border lc rgb 'black'
do for [k = 1:3] {
    set tmargin at screen 0.92 - 0.29 * (k - 1)
    set bmargin at screen 0.66 - 0.29 * (k - 1)
    unset label
    set label 1 sprintf('%s: busy %d%% of the time', about(k), busy(k)) \
        at 0,6.2 font ',17'
    set label 2 'A' at -0.02 * end,3.4 right
    set label 3 'B' at -0.02 * end,1 right
    set label 4 'TMA' at -0.01 * end,5 right font ',14'
    set label 6 'softmax' at first_softmax(k),-0.5 center font ',14'
    if (k == 3) {
        set label 5 'clocks' at end,-1.15 right font ',15'
        set xtics 0,3000,12000 nomirror scale 0 font ',15' offset 0,0.3
    }
    plot boxes(k, 'loads') using 6:(row('loads', '')):6:7:(row('loads', '')):\
             (row('loads', '') + 0.7) with boxxyerror fc rgb GREY lw 0.5, \
         boxes(k, 'QK') using 6:(0):6:7:(row(strcol(3), strcol(4))):\
             (row(strcol(3), strcol(4)) + 1) with boxxyerror fc rgb BLUE, \
         boxes(k, 'PV') using 6:(0):6:7:(row(strcol(3), strcol(4))):\
             (row(strcol(3), strcol(4)) + 1) with boxxyerror fc rgb ORANGE, \
         boxes(k, 's') using 6:(0):6:7:(row(strcol(3), strcol(4))):\
             (row(strcol(3), strcol(4)) + 1) with boxxyerror fc rgb 'white', \
         boxes(k, 'QK') using (($6 + $7) / 2):(row(strcol(3), strcol(4)) + 0.5)\
             :(wide($6, $7, 'QK')) with labels tc rgb 'white' font ',14', \
         boxes(k, 'PV') using (($6 + $7) / 2):(row(strcol(3), strcol(4)) + 0.5)\
             :(wide($6, $7, 'PV')) with labels font ',14'
}
unset multiplot
