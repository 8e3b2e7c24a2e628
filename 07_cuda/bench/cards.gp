# Draws TFLOP/s of each rung at (4, 16, 4096, 128) on the cards that were timed. For
# simulated cards, whose times are nan, draws the errors. `tables` has the names of the
# files that make gpu-check wrote. `out` is the name of the picture without .svg.

lines = 34
eval picture('', 760, 480)
set datafile separator tab
some = "awk -F '\t' 'FNR > 1 && $7 == 128 && $8 == 0 && $2 != \"cublas\" && \
    ($6 == 4096 && $4 == 4 || $9 == \"nan\")' "
steps = system(some.tables.' | cut -f 2 | awk "!seen[\$1]++"')
place(step) = sum [k = 1:words(steps)] (word(steps, k) eq step ? k : 0)
name(table) = system("basename ".table." .tsv")
timed = int(system(some.tables." | cut -f 9 | grep -vc nan; true"))
set key on left noenhanced
set title timed ? 'TFLOP/s of each rung, (4, 16, 4096, 128), not causal' : \
    'Errors at d = 128, without times: no GPU'
set ylabel timed ? 'TFLOP/s' : 'error'
set logscale y
set format y '%g'
set xrange [0.5:words(steps) + 0.5]
set xtics () noenhanced rotate by -35 left
do for [k = 1:words(steps)] { set xtics add (word(steps, k) k) }
plot for [k = 1:words(tables)] '< '.some.word(tables, k) \
    using (place(strcol(2))):(timed ? $10 : $13) \
    with linespoints linestyle k title name(word(tables, k))
