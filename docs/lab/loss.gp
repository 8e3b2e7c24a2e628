# Draws errors against float64, from the output of `flash precision --csv` with tabs. A
# script may set these variables before it loads this one:
#   part     the name of the picture, or ''
#   which    an expression of awk: the rows of the table to draw
#   options  for loss.awk
#   head     the title
# Without them there is a picture for softmax and one for attention. docs/precision.md

letters = 15
height = 320
set logscale xy
set mxtics 1
set mytics 1
set key outside bottom center vertical maxcols 1 Left reverse samplen 2 noenhanced
if (!exists('part')) {
    parts = system("awk -F'\t' '$1 !~ /^what$/ && !seen[$1]++ { print \"_\" $1 }' ".data)
    options = ''
    head = ''
} else {
    parts = '_'.part
}
do for [one in parts] {
    if (!exists('part')) { which = '$1 == "'.one[2:].'"' }
    set format y TENS
    load rows(which).sprintf(" | awk -v height=%d -v dumb=%d %s -f docs/lab/loss.awk", \
        height, dumb, options)
    lines = P * (18 + keys)
    eval picture(one eq '_' ? '' : one, 540, height * P + (head eq '' ? 0 : 30))
    if (head eq '') {
        set multiplot layout P,1
    } else {
        set multiplot layout P,1 title head font ',16'
    }
    set rmargin (dumb ? -1 : 22)
    set tmargin (dumb ? -1 : head eq '' ? 2.2 : 3.4)
    set bmargin (dumb ? -1 : 3.2)
    set ylabel exists('measure') ? measure : 'relative error against float64'
    do for [p = 1:P] { eval value('panel_'.p) }
    unset multiplot
}
