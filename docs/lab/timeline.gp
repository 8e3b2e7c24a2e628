# Who works when in rungs 8, 9 and 10: two consumers, A and B, and the loads.
# docs/pictures.md says what it shows.

letters = 18
eval picture('', 640, 640)

ORANGE = '#F0C05A'
GREY = '#cccccc'
set border 0
unset ytics
unset xtics

rung(k) = word('wgmma roles pingpong', k)
about(k) = k == 1 ? 'Rung 8: all in one role' : \
    k == 2 ? 'Rung 9: one loads, two compute' : 'Rung 10: softmax beside products'
busy(k) = int(field(sprintf('$1 == "busy" && $2 == "%s"', rung(k)), 3))
stats rows('$1 == "box"') using 7 name 'ends' nooutput
end = ends_max

# The lower edge of a row: loads, A's products and softmax, B's.
row(kind, who) = kind eq 'loads' ? 4.6 : \
    (who eq 'A' ? 2.4 : 0) + (kind eq 'products' ? 1 : 0)
wide(from, to, text) = to - from > 600 ? text : ''
softmax(k) = sprintf('$2 == "%s" && $5 == "s"', rung(k))
first_softmax(k) = (field(softmax(k), 6) + field(softmax(k), 7)) / 2
boxes(k, what) = rows(sprintf('$1 == "box" && $2 == "%s" && ($5 == "%s" || \
$3 == "%s")', rung(k), what, what))

set multiplot title 'Tensor cores wait for softmax, until rung 10' \
    font ',20'
eval sides(0.08, 0.98)
set xrange [0:end]
set yrange [-0.7:6.6]
set style fill solid 1 border lc rgb 'black'
do for [k = 1:3] {
    eval heights(0.66 - 0.29 * (k - 1), 0.92 - 0.29 * (k - 1))
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
