# Chapter 03's pictures. The first shows how the sum of six scores is rescaled. The
# second shows the error by the length of the row, for each step and storage type.
# docs/03_online_softmax.md explains them.

# --- the sum after each of the six scores ------------------------------------
# Draws a bar for each score that was read, with a piece for each score so far.
# ./run --trace prints the columns i, x, m, alpha and e^(x - m). awk computes from
# them the columns bar, piece, middle of the piece, height of the piece, x.
pieces = '< '.system('dirname '.data).'/run --trace | awk ''$1 == NR - 2 { \
    for (j = 1; j < $1; j++) piece[j] *= $4; \
    piece[$1] = $5; y = 0; \
    for (j = 1; j <= $1; y += piece[j++]) \
        printf "%d,%d,%f,%f,%s\n", $1, j, y + piece[j] / 2, piece[j], $2 }'''
old(bar, piece) = piece < bar ? bar : NaN
new(bar, piece) = piece == bar ? bar : NaN

if (!dumb) {
    eval picture('_repair', 760, 400)
    set title 'Score 0.5 is a new maximum: the sum 1 becomes 0.67'
    set xrange [0.4:6.6]
    set yrange [0:5.6]
    set xlabel 'scores read'
    set ylabel 'the sum l'
    set xtics scale 0
    set grid noxtics
    plot pieces using (old($1, $2)):3:(0.36):($4 / 2) with boxxyerror \
             fc rgb '#56B4E9' fs solid border lc rgb '#ffffff', \
         pieces using (new($1, $2)):3:(0.36):($4 / 2) with boxxyerror \
             fc rgb '#f6d998' fs solid border lc rgb '#8a6000', \
         pieces using (new($1, $2)):($3 + $4 / 2 + 0.2): \
             (sprintf('score %s', strcol(5))) with labels font ',12', \
         pieces using 1:3:(sprintf('%.2f', $4)) with labels font ',12'
    set xlabel ''
    set xtics scale 1
    set grid xtics
}

# --- precision loss ----------------------------------------------------------
# Writes the table of ./run --csv with the columns of `flash precision --csv`.
table = data[:strlen(data) - 3].'tsv'
system('awk -F, -v OFS="\t" ''BEGIN { \
    title["flat"] = "flat rows (σ = 1/4)"; title["peaked"] = "peaked rows (σ = 4)"; \
    title["rising"] = "rising rows (σ = 4, sorted)" } \
    NR > 1 { print "softmax", title[$1], $2, $3, $4, 0, 64, 0, 0, $5 }'' '.data.' >'.table)
data = table
set datafile separator "\t"
part = ''
which = '1'
options = ''
head = "16-bit storage and long sums lose digits;\n\
online softmax loses more only on rising rows"
load 'docs/lab/loss.gp'
