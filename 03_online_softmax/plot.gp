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
lines = 60
letters = 15
eval picture('', 480, 1140)

set style line 1 lc rgb '#000000' lw 1.5 pt 6 ps 1.1 dt 1
set style line 2 lc rgb '#D55E00' lw 1.5 pt 2 ps 0.8 dt 2
set style line 3 lc rgb '#0072B2' lw 1.5 pt 9 ps 0.9 dt 4

set logscale xy
set logscale x 2
set xrange [16:1048576]
set yrange [1e-12:0.2] # with room for the key
set mytics 1
set xtics ('2^4' 16, '2^8' 256, raised(2, 12) 4096, raised(2, 16) 65536, \
           raised(2, 20) 1048576)
set format y TENS
set xlabel 'scores in the row, n'

step(s) = word('safe_softmax online_softmax merged_softmax', s)
storage(t) = word('fp32 fp16 bf16', t)
loss(rows, t, s) = strcol(1) eq rows && strcol(2) eq storage(t) && \
    strcol(3) eq step(s) ? column(5) : NaN

set multiplot layout 3,1 title "16-bit storage and long sums lose digits;\n\
online softmax loses more only on rising rows" font ',16'

# In 16 bits the three steps have the same error, so one line shows all of them.
set title 'flat rows (σ = 1/4)' font ',14'
set ylabel 'relative error against float64'
set key bottom right reverse Left samplen 2 noenhanced
set label 1 'stored in bf16' at 20,6e-3 tc rgb '#8a6000'
set label 2 'stored in fp16' at 20,7e-5 tc rgb '#8a6000'
plot for [t = 2:3] data using 4:(loss('flat', t, 1)) with lines lw 2 lc rgb \
         ORANGE title '', \
     for [s = 1:3] data using 4:(loss('flat', 1, s)) with linespoints ls s \
         title step(s)

set title 'peaked rows (σ = 4)'
unset key
set label 1 at 20,3e-2
set label 2 at 20,2.5e-4
plot for [t = 2:3] data using 4:(loss('peaked', t, 1)) with lines lw 2 lc rgb \
         ORANGE, \
     for [s = 1:3] data using 4:(loss('peaked', 1, s)) with linespoints ls s

set title 'rising rows (σ = 4, sorted)'
plot for [t = 2:3] data using 4:(loss('rising', t, 1)) with lines lw 2 lc rgb \
         ORANGE, \
     for [s = 1:3] data using 4:(loss('rising', 1, s)) with linespoints ls s
unset multiplot
