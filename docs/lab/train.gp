# The loss of a small language model while it learns the bundled paragraph, and
# nine books of the Bible, with standard attention and with FlashAttention-2.
# Given: data, what build/docs/lab/train --curve printed of the paragraph, beside
# which lies NAME_bible.tsv; out, the picture's path without .svg; or dumb=1.
# docs/backward.md says what it shows.

if (!exists('dumb')) dumb = 0
set encoding utf8
set datafile separator tab
if (dumb) set terminal dumb size 79,48; else \
    set terminal svg size 860,400 font 'Helvetica,Arial,sans-serif,14' \
        background rgb 'white'
if (!dumb) set output out.'.svg'
set style line 1 lc rgb '#000000' lw 2 dt 1
set style line 2 lc rgb '#D55E00' lw 2 dt 2 pt 7 ps 0.6
set style line 3 lc rgb '#000000' lw 2 dt 3
set style line 4 lc rgb '#0072B2' lw 2 dt 2 pt 4 ps 0.6
set style line 9 lc rgb '#dddddd' lw 1 dt 1
if (!dumb) set grid ls 9
set border 3
set tics nomirror
set key top right
bible = data[1:strlen(data) - 4].'_bible.tsv'
set multiplot layout 1 + dumb,2 - dumb title \
    'The same curve, whichever attention it learns with' font ',16'
set xlabel 'step (8 sequences of 64 characters each)'
set ylabel 'loss, nats per character'
set yrange [0:*]
set title 'a paragraph'
plot data using 1:2 with lines ls 1 title 'standard', \
     data using 1:3 with points ls 2 title 'flash2'
set title 'nine books, read once'
unset ylabel
set xrange [0:2100]
plot bible using 1:2 with lines ls 1 title 'standard', \
     bible using 1:3 every 3 with points ls 2 title 'flash2', \
     bible using 1:4 with lines ls 3 title 'standard, held out', \
     bible using 1:5 every 3 with points ls 4 title 'flash2, held out'
unset multiplot
