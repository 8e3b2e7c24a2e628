# The keys that each rank has in each round, in a ring of four ranks. docs/ring.md
# explains the picture.

letters = 16
eval picture('', 860, 400)

rule(k) = word('neighbours folded', k)
about(k) = k == 1 ? 'ring: neighbouring rows' : 'zigzag: an early and a late chunk'
of(k) = rows(sprintf('$1 == "%s"', rule(k)))

unset colorbox
unset grid
set border 0
set palette defined (0 '#ffffff', 1 '#56B4E9')
set cbrange [0:1]
set xrange [-0.5:3.5]
set yrange [3.5:-0.5]
set xtics scale 0 ('first' 0, 'second' 1, 'third' 2, 'fourth' 3)
set ytics scale 0 ('rank 0' 0, 'rank 1' 1, 'rank 2' 2, 'rank 3' 3)
eval heights(0.16, 0.76)
set xlabel 'round' offset 0,0.4

set multiplot title 'The keys that each rank holds, and the share of scores \
that are not masked' font ',18'
do for [k = 1:2] {
    eval sides(0.10 + 0.52 * (k - 1), 0.46 + 0.52 * (k - 1))
    set title about(k) font ',16'
    plot of(k) using 2:3:5 with image pixels, \
        of(k) using 2:3:(sprintf("K_%d V_%d", $4, $4)) with labels offset 0,0.5, \
        of(k) using 2:3:(sprintf("%.0f%%", 100 * $5)) with labels offset 0,-0.7 \
            font ',13' tc rgb '#444444'
}
unset multiplot
