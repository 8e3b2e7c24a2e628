# Precision loss, from the output of `flash precision --csv`. There is a panel for each
# kind of rows, and a line for each step and type. docs/precision.md

letters = 12
lines = 60
enhanced = 'noenhanced'
set logscale xy
set key outside bottom center horizontal samplen 2 font ',11'
set mxtics 1
set mytics 1

# values returns the different values of awk's `fields` in the usable lines of `what`.
# limit returns the smallest (sign -1) or largest (sign 1) value of a field.
usable = '$1 == "%s" && $10 + 0 > 0 && $10 !~ /[nN]/'
values(what, fields) = system(sprintf("awk -F'\t' '".usable." { v = %s } \
    ".usable." && !seen[v]++ { print v }' %s", what, fields, what, data))
limit(what, field, sign) = real(system(sprintf("awk -F'\t' '".usable." \
    && (!n++ || %d * ($%d - x) > 0) { x = $%d } END { print x }' %s", \
    what, sign, field, field, data)))

do for [what in system("awk -F'\t' '$1 !~ /^what$/ && !seen[$1]++ { print $1 }' ".data)] {
    panels = values(what, '$2')
    x = words(values(what, '$5')) > 1 || words(values(what, '$7')) == 1 ? 5 : 7
    group = '$4'.(x == 5 && words(values(what, '$7')) > 1 ? ' ",Bc=" $7' : ''). \
        (words(values(what, '$6')) > 1 ? ' ",d=" $6' : '')
    curve = group.' "," $3'
    curves = values(what, curve)
    groups = values(what, group)
    types = values(what, '$3')
    eval picture('_'.what, 400 * words(panels), 460)
    set multiplot layout (dumb ? words(panels) : 1),(dumb ? 1 : words(panels))
    set xlabel (x == 7 ? 'keys of a tile, Bc' : \
        what eq 'softmax' ? 'scores in the row, n' : 'keys N') offset 0,0.5
    set xrange [limit(what, x, -1) / 1.5:limit(what, x, 1) * 1.5]
    set yrange [limit(what, 10, -1) / 2:limit(what, 10, 1) * 2]
    set format y '%.0e'
    at = values(what, '$'.x)
    tics = ''
    do for [v in at] { tics = tics.(strlen(tics) ? ', ' : '').v }
    if (words(at) <= 6) { eval 'set xtics ('.tics.')' } else { set xtics autofreq }
    do for [p = 1:words(panels)] {
        set title what.' of '.word(panels, p)
        set ylabel (p == 1 ? 'relative error against float64' : '')
        of(c) = rows(sprintf('$2 == "%s" && %s == "%s" && '.usable, \
            word(panels, p), curve, word(curves, c), what))
        index(list, name) = int(sum [i = 1:words(list)] \
            (word(list, i) eq name ? i : 0))
        cut(c, what) = system("echo '".word(curves, c)."' | sed 's/".what."//'")
        style(c) = index(groups, cut(c, ',[^,]*$'))
        type(c) = index(types, cut(c, '.*,'))
        plot for [c = 1:words(curves)] of(c) using x:10 with linespoints \
                ls (style(c) - 1) % 5 + 1 dt type(c) lw 1.5 \
                title (type(c) == 1 ? word(curves, c) : ''), \
            for [t = 2:words(types)] NaN with lines ls 8 lw 1.5 dt t \
                title 'in '.word(types, t)
    }
    unset multiplot
}
