# Precision loss, from the output of `flash precision --csv`. There is a panel for each
# kind of rows, and a line for each step and type. docs/precision.md

letters = 12
set logscale xy
set mxtics 1
set mytics 1
set format y '%.0e'
set key outside bottom center horizontal samplen 2 noenhanced
power(x) = floor(log10(x))

do for [what in system("awk -F'\t' '$1 !~ /^what$/ && !seen[$1]++ { print $1 }' ".data)] {
    load sprintf("< awk -v what=%s -v dumb=%d -f docs/lab/loss.awk %s", what, dumb, data)
    P = words(panels)
    C = words(curves)
    T = words(types)
    lines = P * (18 + (dumb ? C * T : 0))
    eval picture('_'.what, 400 * P, 460)
    set multiplot layout (dumb ? P : 1),(dumb ? 1 : P)
    stats $errors using 2 name 'error' nooutput
    low = power(error_min)
    high = power(error_max) + 1
    set yrange [10**low:10**high]
    set ytics auto
    if (high == low + 1) { set for [k in '2 5'] ytics add (k * 10**low) }
    do for [p = 1:P] {
        set title word(panels, p).(T == 1 ? ', '.word(types, 1) : '') noenhanced
        set ylabel (p == 1 || dumb ? 'relative error against float64' : '')
        block(c, t) = ((p - 1) * C + c - 1) * T + t - 1
        name(c, t) = !int(word(is_drawn, block(c, t) + 1)) ? '' : \
            word(curves, c).(T == 1 ? '' : ', '.word(types, t))
        if (dumb) {
            set key vertical maxcols 1 Left reverse
            plot for [c = 1:C] for [t = 1:T] $errors index block(c, t) \
                with points pt (c - 1) * T + t title name(c, t)
        } else {
            set xlabel offset 0,0.5
            plot for [c = 1:C] for [t = 1:T] $errors index block(c, t) \
                     smooth unique with linespoints ls (c - 1) % 5 + 1 dt t lw 1.5 \
                     ps 1.5 - 0.2 * ((c - 1) % 5 + 1) \
                     title (t == 1 ? word(curves, c) : ''), \
                 for [t = 1:(T > 1 ? T : 0)] NaN with lines ls 8 lw 1.5 dt t \
                     title 'in '.word(types, t)
        }
    }
    unset multiplot
}
