# Who attends to whose keys when, on a ring of four ranks. Given: data, what
# build/docs/lab/ring printed; out, the picture's path without .svg; or dumb=1.
# docs/pictures.md says what it shows.

if (!exists('dumb')) dumb = 0
set encoding utf8
set datafile separator tab
if (dumb) set terminal dumb size 79,24; else \
    set terminal svg size 860,400 font 'Helvetica,Arial,sans-serif,16' \
        background rgb 'white'
if (!dumb) set output out.'.svg'

rule(k) = word('neighbours folded', k)
about(k) = k == 1 ? 'ring: neighbouring rows' : 'zigzag: an early and a late chunk'
of(k) = sprintf("< awk -F'\\t' '$1 == \"%s\"' %s", rule(k), data)

unset key
unset colorbox
set border 0
set palette defined (0 '#ffffff', 1 '#56B4E9')
set cbrange [0:1]
set xrange [-0.5:3.5]
set yrange [3.5:-0.5]
set xtics scale 0 ('first' 0, 'second' 1, 'third' 2, 'fourth' 3)
set ytics scale 0 ('rank 0' 0, 'rank 1' 1, 'rank 2' 2, 'rank 3' 3)
set tmargin at screen 0.76
set bmargin at screen 0.16
set xlabel 'round' offset 0,0.4

set multiplot title 'Whose keys a rank holds, and how many of the scores the mask leaves' font ',18'
do for [k = 1:2] {
    set lmargin at screen 0.10 + 0.48 * (k - 1)
    set rmargin at screen 0.50 + 0.48 * (k - 1)
    set title about(k) font ',16'
    plot of(k) using 2:3:5 with image pixels, \
        of(k) using 2:3:(sprintf("K_%d V_%d", $4, $4)) with labels offset 0,0.5, \
        of(k) using 2:3:(sprintf("%.0f%%", 100 * $5)) with labels offset 0,-0.7 \
            font ',13' tc rgb '#444444'
}
unset multiplot
