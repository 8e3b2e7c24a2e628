# Pictures of the precision lab, from the table that build/docs/lab/precision prints.
# docs/precision.md explains the pictures.

set format y '10^{%T}'

letters = 12

# --- by length ---------------------------------------------------------------
eval picture('_length', 760, 460)
set title "Summing each tile separately loses fewer bits"
set xlabel 'keys N'
set ylabel 'relative error of O against float64'
set logscale xy
set logscale x 2
set xrange [64:150000]
set yrange [1e-7:2e-5]
set xtics (64, 256, 1024, 4096, 16384)
steps(name) = rows('$1 == "length" && $5 == 1 && $2 == "'.name.'"')
set label 1 'one pass, key by key' at 36000,6.9e-6 tc ls 3
set label 2 'three pass; standard' at 36000,3.7e-6 tc ls 1
set label 3 'two pass (online)' at 36000,5.1e-6 tc ls 2
set label 4 'flash1, Bc 64' at 36000,9.6e-7 tc ls 4
set label 5 'flash2, Bc 64' at 36000,6.3e-7 tc ls 5
plot steps('one_pass_attention') using 3:12 with linespoints ls 3, \
     steps('two_pass_attention') using 3:12 with linespoints ls 2, \
     steps('three_pass_attention') using 3:12 with linespoints ls 1, \
     steps('flash1') using 3:12 with linespoints ls 4, \
     steps('flash2') using 3:12 with linespoints ls 5
unset label

# --- by tile size ------------------------------------------------------------
eval picture('_tile', 760, 460)
set title "The best tile is neither one key nor all of them"
set xlabel 'keys of a tile, Bc (N = 4096)'
set xrange [0.8:1500]
set yrange [2e-7:3e-6]
set format y '%.0te%T'
set ytics (2e-7, 5e-7, 1e-6, 2e-6)
set xtics (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
tile(name) = rows('$1 == "tile" && $2 == "'.name.'"')
level(name) = rows('$1 == "length" && $3 == 4096 && $5 == 1 && $2 == "'.name.'"')
set label 1 'flash1' at 610,5.8e-7 tc ls 4
set label 2 'flash2' at 610,4.5e-7 tc ls 5
set label 3 'three pass' at 540,1.65e-6 tc ls 1
stats level('three_pass_attention') using 12 name 'textbook' nooutput
plot textbook_mean with lines ls 1, \
     tile('flash1') using 4:12 with linespoints ls 4, \
     tile('flash2') using 4:12 with linespoints ls 5
unset label

# --- by spread of the scores -------------------------------------------------
eval picture('_spread', 760, 460)
set title "Leaving out the scale has the effect of a larger deviation"
set xlabel 'standard deviation of the scores'
set xrange [0.2:170]
set yrange [2e-7:3e-5]
set format y '10^{%T}'
set ytics autofreq
set xtics (0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128)
spread(name, scaled) = rows('$1 == "spread" && $2 == "'.name.'" && $6 == "'.scaled.'"')
set key top left Left reverse
set label 1 "one long sum l\nloses small terms" at 4,6.6e-6 center
# Open marks are unscaled scores; their spreads are 8 times as large, 2 to 128.
plot spread('three_pass_attention', 'yes') using 5:12 with linespoints ls 1 \
         title 'three pass, scaled', \
     spread('three_pass_attention', 'no') using 5:12 with linespoints ls 1 \
         dt 3 pt 6 ps 1.6 title 'three pass, scale left out', \
     spread('flash2', 'yes') using 5:12 with linespoints ls 2 dt 2 \
         title 'flash2, scaled', \
     spread('flash2', 'no') using 5:12 with linespoints ls 2 \
         dt 3 pt 4 ps 1.5 title 'flash2, scale left out'
unset key
unset label

# --- rising scores -----------------------------------------------------------
eval picture('_rising', 760, 460)
set title "A rescale at every key adds error, one at every tile does not"
set xlabel 'keys N, in rising order of their scores'
set ylabel "error of O / error of three pass"
set format y '%g'
set xrange [200:90000]
set yrange [0.15:4]
set xtics (256, 1024, 4096, 16384)
set ytics (0.25, 0.5, 1, 2)
over(step, Bc) = "< awk -F'\t' '$1 == \"order\" && $7 == \"rising\" && $4 == ".Bc." { \
    if ($2 == \"three_pass_attention\") base = $12; \
    if ($2 == \"".step."\") print $3 \"\t\" $12 / base }' ".data
set label 1 'three pass' at 20000,1.08 tc ls 1
set label 2 'two pass (online)' at 20000,1.8 tc ls 2
set label 3 'flash2, Bc 1' at 20000,2.6 tc ls 3
set label 4 'flash2, Bc 64' at 20000,0.26 tc ls 5
plot 1 with lines ls 1, \
     over('two_pass_attention', 1) with linespoints ls 2, \
     over('flash2', 1) with linespoints ls 3, \
     over('flash2', 64) with linespoints ls 5
unset label
set format y '10^{%T}'
set ytics autofreq

# --- FlashAttention and FlashAttention-2, O stored low ------------------------
eval picture('_state', 760, 460)
set title "FlashAttention rounds O once per tile, FlashAttention-2 once"
set xlabel 'keys of a tile, Bc (N = 4096)'
set ylabel 'relative error of O, stored in bf16'
set logscale x 2
set xrange [3:6500]
set yrange [1e-3:1]
set xtics (4, 16, 64, 256, 1024)
state(step, what) = rows('$1 == "'.what.'" && $2 == "'.step.'" && $8 == "bf16"')
set label 1 'flash1' at 1250,2.6e-3 tc ls 4
set label 2 'flash1, m and l also in bf16' at 6,1.7e-1 tc ls 1
set label 3 'flash2_deferred' at 1250,3.9e-3 noenhanced tc ls 2
set label 4 'flash2' at 1250,1.75e-3 tc ls 5
plot state('flash1', 'P, O, m, l') using 4:12 with linespoints ls 1, \
     state('flash2_deferred', 'P, O') using 4:12 with linespoints ls 2, \
     state('flash1', 'P, O') using 4:12 with linespoints ls 4, \
     state('flash2', 'P, O') using 4:12 with linespoints ls 5
