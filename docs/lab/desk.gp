# Who is on the desk, visit by visit: a picture for flash1, one for flash2.
# And whose side is there backward. docs/05_flash1.md, docs/06_flash2.md and
# docs/backward.md say what they show.

unset border
unset tics

visit(kernel, k, n) = field(sprintf('$1 == "visit" && $2 == "%s" && $3 == %d', \
    kernel, k), n)
title(kernel) = kernel eq 'flash1' ? \
    'FlashAttention: K and V stay on the desk; queries come and go, with O, m, l' : \
    'FlashAttention-2: queries stay with O, m, l; K and V come and go'

do for [kernel in 'flash1 flash2'] {
    eval picture('_'.kernel, 860, 330)
    set multiplot title title(kernel) font ',16'
    do for [k = 1:4] {
        eval frame(0.25 * (k - 1) + 0.06, 0.25 * k - 0.03, 0.34, 0.74)
        set xrange [0:2]
        set yrange [2:0]
        unset object
        unset label
        unset arrow
        do for [n = 1:k] {
            i = int(visit(kernel, n, 4))
            j = int(visit(kernel, n, 5))
            set object n rectangle from j, i to j + 1, i + 1 \
                fc rgb (n == k ? '#56B4E9' : '#e4eef5') fs solid noborder
            set label 20 + n sprintf('%d', n) at j + 0.5, i + 0.5 center
        }
        do for [n = 0:2] {
            set arrow 1 + n from n, 0 to n, 2 nohead lc rgb '#777777'
            set arrow 4 + n from 0, n to 2, n nohead lc rgb '#777777'
        }
        set label 1 sprintf('visit %d', k) at 1, -0.62 center
        do for [n = 0:1] {
            set label 2 + n sprintf('K_%d', n) at n + 0.5, -0.2 center font ',12'
            set label 4 + n sprintf('Q_%d', n) at -0.1, n + 0.5 right font ',12'
        }
        set label 6 'comes:' at -0.25, 2.4 tc rgb '#0072B2' font ',12'
        set label 7 visit(kernel, k, 6) at -0.25, 2.75 tc rgb '#0072B2' font ',13' noenhanced
        set label 8 'is put down:' at -0.25, 3.15 tc rgb '#c05000' font ',12'
        set label 9 visit(kernel, k, 7) at -0.25, 3.5 tc rgb '#c05000' font ',13' noenhanced
        plot NaN
    }
    unset multiplot
}

# --- backward, where it depends on no size -----------------------------------
eval picture('_back', 860, 300)
set multiplot title 'Backward: the sum of the side that passes by travels, or \
has a kernel of its own' font ',16'
set xrange [-0.75:1.05]
set yrange [1.1:-0.45]
unset object
unset label
unset arrow
do for [k = 1:3] {
    eval frame(0.33 * (k - 1) + 0.02, 0.33 * k - 0.02, 0.04, 0.80)
    keys_stay = k != 2
    set object 1 rectangle from 0, 0 to 1, 1 fc rgb '#e4eef5' fs solid noborder
    set object 2 rectangle from 0, -0.22 to 1, -0.05 fs solid noborder \
        fc rgb (keys_stay ? '#56B4E9' : '#eeeeee')
    set object 3 rectangle from -0.7, 0 to -0.05, 1 fs solid noborder \
        fc rgb (keys_stay ? '#eeeeee' : '#56B4E9')
    set label 1 k == 1 ? 'one pass' : k == 2 ? 'two kernels: the first' : \
        'and the second' at 0.15, -0.35 center
    set label 2 keys_stay ? 'K V dK dV stay' : 'K V pass by' at 0.5, -0.135 center
    set label 3 keys_stay ? "Q dO\npass by" : "Q dO dQ\nstay" at -0.375, 0.4 center
    set label 4 'S' at 0.5, 0.5 center
    set label 5 k == 1 ? 'dQ travels' : '' at -0.375, 0.8 center tc rgb '#c05000'
    plot NaN
}
unset multiplot
