# The tiles that are on chip at each visit, in one picture for flash1 and one for flash2.
# docs/05_flash1.md and docs/06_flash2.md explain the pictures.

unset border
unset tics

visit(kernel, k, n) = field(sprintf('$1 == "visit" && $2 == "%s" && $3 == %d', \
    kernel, k), n)
title(kernel) = kernel eq 'flash1' ? \
    'FlashAttention: K and V stay on chip; O, m, l are loaded and stored' : \
    'FlashAttention-2: Q, O, m, l stay on chip; K and V are loaded'

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
        set label 6 'load:' at -0.25, 2.4 tc rgb '#0072B2' font ',12'
        set label 7 visit(kernel, k, 6) at -0.25, 2.75 tc rgb '#0072B2' font ',13' noenhanced
        set label 8 'store:' at -0.25, 3.15 tc rgb '#c05000' font ',12'
        set label 9 visit(kernel, k, 7) at -0.25, 3.5 tc rgb '#c05000' font ',13' noenhanced
        plot NaN
    }
    unset multiplot
}
