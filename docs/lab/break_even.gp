# The traffic of FlashAttention divided by standard attention's, by on-chip memory M and
# d, for the forward and the backward pass; and the steps on the roofline of a GPU.
# docs/complexity.md and docs/backward.md explain the pictures.

set datafile missing NaN # a line is not broken by rows of other lines

# Column 4 of the data is M, column 5 the traffic divided by standard attention's.
at(step, d) = strcol(1) eq 'over' && strcol(2) eq step && column(3) == d
line(step, d) = at(step, d) ? column(5) : NaN
back(k) = word('flash1_backward flash2_backward two_kernel_backward', k)

# --- over standard's traffic, by M -------------------------------------------
eval picture('_ratio', 800, 470)
set title 'With d = 128 FlashAttention moves less only above M = 49,152'
set logscale x 2
set logscale y
set xrange [8192:480000]
set yrange [0.04:8]
set xtics ('8192' 8192, '16,384' 16384, '32,768' 32768, '65,536' 65536, \
           '131,072' 131072, '262,144' 262144)
set ytics ('0.05' 0.05, '0.1' 0.1, '0.2' 0.2, '0.5' 0.5, '1' 1, '2' 2, '5' 5)
set xlabel 'M, elements on chip (N = 4096)'
set ylabel "HBM traffic / standard attention's traffic"
set label 1 '1: the same as standard attention' at 470000,1.17 right
set label 2 'flash1, d 128' at 270000,0.215 tc ls 2
set label 3 'flash2, d 128' at 270000,0.145 tc ls 3
set label 4 'flash1, d 64' at 270000,0.066 tc ls 2
set label 5 'flash2, d 64' at 270000,0.046 tc ls 3
set arrow 1 from 49152,2.6 to 49152,1.12 lw 1.5 lc rgb '#666666'
set label 7 'no gain' at 49152,3 center tc rgb '#666666'
plot 1 ls 1, \
     for [w in '64 128'] data using 4:(line('flash1', w + 0)) with lines ls 2, \
     for [w in '64 128'] data using 4:(line('flash2', w + 0)) with lines ls 3

# --- d = 32, 64 and 128: the backward pass alone -----------------------------
eval picture('_back', 860, 420)
unset label
unset arrow
set multiplot title 'Backward pass: recomputing P moves less only if M is large \
for d' font ',16'
eval heights(0.15, 0.82)
set xrange [2048:262144]
set yrange [0.02:60]
set xtics ('4096' 4096, '65,536' 65536)
set ytics ('0.02' 0.02, '0.1' 0.1, '1' 1, '10' 10, '50' 50)
set xlabel 'M, elements on chip (N = 4096)'
set ylabel "HBM traffic / standard's traffic"
set label 1 'standard' at 250000,1.4 right
do for [p = 1:3] {
    eval sides(0.09 + 0.31 * (p - 1), 0.36 + 0.31 * (p - 1))
    d = 16 * 2**p
    set title sprintf('d = %d', d) font ',14'
    if (p == 2) {
        unset ylabel
        set ytics ('' 0.02, '' 0.1, '' 1, '' 10, '' 50)
    }
    if (p == 3) { set key bottom left Left reverse samplen 2; unset label }
    plot 1 ls 1 notitle, \
        for [k = 1:3] data using 4:(line(back(k), d)) with lines ls k + 1 \
            title word('flash1 flash2 "two kernels"', k)
}
unset multiplot
unset key
set ytics autofreq
set margins -1, -1, -1, -1
set ylabel

# --- along a GPU's roofline --------------------------------------------------
eval picture('_slide', 800, 470)
unset label
set title 'Standard attention has d/2 FLOP per byte, a tile of Br queries has Br'
PEAK = 312e12     # FLOP/s of an A100's matrix units in bf16
MEMORY = 2.039e12 # bytes/s of an A100's 80 GB memory
roof(x) = x * MEMORY < PEAK ? x * MEMORY : PEAK
set xrange [0.7:700]
set yrange [1e12:1e15]
set xtics (1, 4, 16, 64, 256)
set ytics ('1' 1e12, '10' 1e13, '100' 1e14, '1000' 1e15)
set xlabel 'arithmetic intensity, FLOP per byte (N = 4096, d = 64, 2 bytes per \
element)'
set ylabel "upper limit, TFLOP/s (roofline of an A100)"
set samples 400
is(step) = strcol(1) eq 'intensity' && strcol(2) eq step
on(step) = is(step) ? roof(column(4)) : NaN
set label 1 'one query per tile: 1' at 1.15,1.6e12 left tc ls 1
set label 2 "standard:\nd/2 = 32" at 26,1.05e14 right tc ls 2
set label 3 'compute-bound from 153 on' at 153,5.4e14 center tc rgb '#666666'
set arrow 1 from 153,1e12 to 153,1e14 nohead ls 8
plot roof(x) with lines lw 2 lc rgb '#666666', \
     data using 4:(on('tiled_attention')) with points ls 1 ps 1.2, \
     data using 4:(on('standard_attention')) with points ls 2 ps 1.6, \
     data using 4:(on('flash2')) with points ls 3 ps 1.3, \
     data using ($4 * 1.12):(on('flash2') * 0.7): \
         (sprintf(column(3) == 16 ? 'flash2, Br = %d' : 'Br = %d', column(3))) \
         with labels left tc ls 3
