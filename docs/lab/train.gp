# The loss of a small language model while it learns the bundled paragraph, and
# nine books of the Bible, with standard attention and with FlashAttention-2.
# docs/backward.md says what it shows.

eval picture('', 860, 400)
set key top right
bible = data[1:strlen(data) - 4].'_bible.tsv'
set multiplot layout 1,2 title \
    'The same curve, whichever attention it learns with' font ',16'
set xlabel 'step (8 sequences of 64 characters each)'
set ylabel 'loss, nats per character'
set yrange [0:*]
set title 'a paragraph'
plot data using 1:2 with lines ls 1 title 'standard', \
     data using 1:3 with points ls 3 pt 7 ps 0.6 title 'flash2'
set title 'nine books, read once'
unset ylabel
set xrange [0:2100]
plot bible using 1:2 with lines ls 1 title 'standard', \
     bible using 1:3 every 3 with points ls 3 pt 7 ps 0.6 title 'flash2', \
     bible using 1:4 with lines ls 1 dt 3 title 'standard, held out', \
     bible using 1:5 every 3 with points ls 2 pt 4 ps 0.6 title 'flash2, held out'
unset multiplot
