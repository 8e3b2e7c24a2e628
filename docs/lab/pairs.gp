# The three tiles of a matrix unit, and the pairs of columns in tile B.
# docs/cpu_speed.md explains the picture.

unset border
unset tics
unset colorbox
set palette defined (0 '#ffffff', 1 '#e4eef5', 2 '#56B4E9', 3 '#E69F00')
set cbrange [0:3]
ROW = 3  # the query of the marked score; KEY is its key
KEY = 5

# A box is a line with: row, first 2-byte unit, number of units, shade. A score has 2
# units, a bf16 has 1. Two bf16 are drawn as one box, except marked ones.
box(r, c, n, shade) = sprintf("%d\t%d\t%d\t%d", r, c, n, shade)
two(r, c, marked) = marked ? box(r, c, 1, 2)."\n".box(r, c + 1, 1, 3) : \
    box(r, c, 2, int(c / 2) % 2)
set print $A
do for [r = 0:15] { do for [c = 0:30:2] { print two(r, c, r == ROW) } }
set print $B
do for [r = 0:15] { do for [c = 0:30:2] { print two(r, c, c == 2 * KEY) } }
set print $C
do for [r = 0:15] { do for [c = 0:30:2] {
    print box(r, c, 2, r == ROW && c == 2 * KEY ? 2 : int(c / 2) % 2)
} }
unset print

eval picture('', 1000, 420)
set multiplot title 'One instruction computes 16 x 16 sums of 32 products' font ',16'
set xrange [-2.5:33]
set yrange [20:-4]
eval heights(0.02, 0.9)
tile(block) = sprintf("plot $%s using ($2 + $3 / 2):($1 + 0.5):2:($2 + $3):\
1:($1 + 1):4 with boxxyerror lc palette lw 0.5 fs solid border lc rgb '#999999'", block)

eval sides(0.0, 0.32)
set label 1 'A: Q in bf16' at 16, -3 center
set label 2 '32 columns of Q' at 16, -1 center font ',12'
set label 3 '16 queries' at -1.2, 8 center rotate by 90 font ',12'
set label 4 'row 3: all columns of query 3' at 16, 17.5 center font ',12'
eval tile('A')

eval sides(0.34, 0.66)
set label 1 'B: K in bf16, by pairs' at 16, -3 center
set label 2 '16 keys, 2 numbers of each' at 16, -1 center font ',12'
set label 3 '16 pairs of columns' at -1.2, 8 center rotate by 90 font ',12'
set label 4 'key 5: columns 0 1, then 2 3, 4 5, ... 30 31' at 16, 17.5 center \
    font ',12'
eval tile('B')

eval sides(0.68, 1.0)
set label 1 'C: S in fp32' at 16, -3 center
set label 2 '16 keys' at 16, -1 center font ',12'
set label 3 '16 queries' at -1.2, 8 center rotate by 90 font ',12'
set label 4 'the score of query 3 and key 5' at 16, 17.5 center font ',12'
eval tile('C')
unset multiplot
