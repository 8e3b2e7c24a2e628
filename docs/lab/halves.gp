# The two halves of one row of the bundled layer. Their outputs must be rescaled before
# they are added. docs/04_tiled_attention.md explains the picture.

eval picture('', 860, 620)
unset grid

half(k, x) = strcol(1) eq 'score' && (column(2) < 125) == (k == 0) ? x : NaN
of_half(k, n) = real(field(sprintf('$1 == "half" && $2 == %d', k), n))

set multiplot title 'Two partial outputs must be rescaled to one maximum before \
they are added' font ',16'

eval frame(0.09, 0.97, 0.63, 0.91)
set xrange [-3:253]
set yrange [-8:8]
set ytics -4,4,4
set xlabel 'key j (head 3, query 46 of the bundled layer)' offset 0,0.4
set ylabel 'score s_j'
set arrow 1 from -1,of_half(0, 3) to 124,of_half(0, 3) nohead lw 2 lc rgb BLUE
set arrow 2 from 126,of_half(1, 3) to 250,of_half(1, 3) nohead lw 2 dt 2 \
    lc rgb '#8a6000'
set arrow 3 from 125,-8 to 125,8 nohead lw 1 dt 3 lc rgb '#666666'
set label 1 sprintf('m_1 = %.2f,  l_1 = %.2f', of_half(0, 3), of_half(0, 4)) \
    at 3,of_half(0, 3) + 1.8 tc rgb BLUE
set label 3 'keys 0 to 124' at 2,-6.5 tc rgb BLUE
set label 4 'keys 125 to 250' at 128,-6.5 tc rgb '#8a6000'
set label 2 sprintf('m_2 = %.2f,  l_2 = %.2f', of_half(1, 3), of_half(1, 4)) \
    at 129,of_half(1, 3) + 1.8 tc rgb '#8a6000'
plot data using (half(0, $2)):3 with impulses lc rgb BLUE lw 1.5, \
     data using (half(1, $2)):3 with impulses lc rgb ORANGE lw 1.5

unset label
unset arrow
eval heights(0.12, 0.46)
set xrange [-0.7:7.7]
set xtics 0,1,7
set xlabel 'column c'
set boxwidth 0.36
set style fill solid
out_of(c, x) = strcol(1) eq 'output' && column(2) < 8 ? column(2) + c : NaN
set yrange [-4:4]
set ytics -4,2,4
set xzeroaxis lt -1
set style fill solid border lc rgb '#000000'

eval sides(0.09, 0.34)
set ylabel 'Σ e^{s_j − m} v_{jc}' offset 1
set title '1  unscaled: cannot be added' font ',14'
plot data using (out_of(-0.19, 0)):3 with boxes lc rgb BLUE, \
     data using (out_of(0.19, 0)):4 with boxes lc rgb ORANGE

eval sides(0.41, 0.66)
unset ylabel
set title sprintf('2  multiplied by %.2f and %.2f', of_half(0, 5), of_half(1, 5)) \
    font ',14'
plot data using (out_of(-0.19, 0)):5 with boxes lc rgb BLUE, \
     data using (out_of(0.19, 0)):6 with boxes lc rgb ORANGE

eval sides(0.72, 0.97)
set yrange [-0.6:0.6]
set ytics -0.6,0.2
set boxwidth 0.6
set title '3  their sum, divided by l: O' font ',14'
set label 1 'dots: float64' at -0.5,0.52
plot data using (out_of(0, 0)):7 with boxes lc rgb '#56B4E9' lw 0.5, \
     data using (out_of(0, 0)):8 with points pt 7 ps 0.6 lc rgb '#000000'
unset multiplot
