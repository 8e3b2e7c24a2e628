# Common settings of all plots. plot.sh reads this file before each plot.gp and
# docs/lab/*.gp, and sets these variables:
#   data   the path of the data: a .csv of `./run`, or a .tsv
#   out    the path of the plot, without .svg
#   dumb   1 to draw with characters on the terminal
if (!exists('dumb')) dumb = 0
set encoding utf8
set datafile separator data[strlen(data) - 3:] eq '.csv' ? ',' : "\t"
unset key
set border 3
set tics nomirror
set title font ',16'

# Okabe and Ito's colours. Each line style also has its own dash and mark, so that lines
# differ in black and white.
BLUE = '#0072B2'
ORANGE = '#E69F00'
set style line 1 lc rgb '#000000' lw 2 dt 1 pt 7 ps 0.9
set style line 2 lc rgb BLUE lw 2 dt 1 pt 5 ps 0.8
set style line 3 lc rgb '#D55E00' lw 2 dt 2 pt 11 ps 1
set style line 4 lc rgb '#009E73' lw 2 dt 4 pt 9 ps 1
set style line 5 lc rgb '#CC79A7' lw 2 dt 5 pt 13 ps 1
set style line 8 lc rgb '#666666' lw 1 dt 3
set style line 9 lc rgb '#dddddd' lw 1 dt 1
if (!dumb) set grid ls 9

# `eval picture('_part', 760, 440)` begins the picture out_part.svg of that size.
lines = 30
letters = 14
enhanced = 'enhanced'
picture(part, width, height) = dumb ? \
    sprintf('set terminal dumb noenhanced size 79,%d', lines) : \
    sprintf("set terminal svg %s size %d,%d background rgb 'white' \
font 'Helvetica,Arial,sans-serif,%d'; set output '%s%s.svg'", \
        enhanced, width, height, letters, out, part)

# raised returns the label "base to the power of k". TENS is the format of such powers of
# ten. A text terminal shows no braces.
raised(base, k) = sprintf(dumb ? '%d^%d' : '%d^{%d}', base, k)
TENS = dumb ? '10^%T' : '10^{%T}'

# rows returns the rows of `data` for which an expression of awk is true.
rows(expression) = sprintf("< awk -F'\t' '%s' %s", expression, data)
field(expression, n) = system(sprintf("awk -F'\t' '%s { print $%d; exit }' %s", \
    expression, n, data))

# `eval frame(left, right, bottom, top)` sets the position of the axes, as fractions of
# the picture. sides sets only left and right, heights only bottom and top.
margin(side, x) = sprintf('set %smargin at screen %.17g; ', side, x)
sides(left, right) = margin('l', left).margin('r', right)
heights(bottom, top) = margin('b', bottom).margin('t', top)
frame(left, right, bottom, top) = sides(left, right).heights(bottom, top)
