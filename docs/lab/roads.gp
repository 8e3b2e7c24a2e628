# Two pictures for docs/00_attention.md. The first has the numbers per second that a core
# loads from each memory (docs/results/moving.txt). The second has the traffic of standard
# attention, as arrows whose widths are in proportion to the bytes.

unset border
unset tics
unset grid

# --- the memories, as wide as they are fast ----------------------------------
eval picture('_floors', 760, 300)
set title 'Numbers per second that one core can multiply, and that it can load'
floors = "< awk '/multiplies/ { print \"multiplies\\t\" $6 } \
/GB.s/ { print \"reads from \" $1 \" \" $2 \"\\t\" $5 }' docs/results/moving.txt"
stats floors using 2 name 'all' nooutput
set xrange [-all_max:all_max]
set yrange [4.6:-0.6]
plot floors using (0):0:($2 / 2):(0.4) with boxxyerror \
         fc rgb '#56B4E9' fs solid noborder, \
     floors using (-0.55 * all_max):0:1 with labels right, \
     floors using (0.55 * all_max):0:(sprintf('%.1f billion', $2)) \
         with labels left

# --- standard attention's trips, in their order ------------------------------
eval picture('_trips', 860, 330)
set title 'S and P are written and read again; only O is the result'
# trips returns the corners of an arrow for each transfer in one direction. A transfer
# begins with an array's first row.
trips(way) = rows('$1 == "standard_attention" && /read|written/ { \
    if ($4 == 0 && $3 != "mlL") { \
        trip[$2, $3] = ++n; \
        way[n] = $2; \
        name[n] = $3 == "S" && times[$2]++ ? "P" : $3; \
    } \
    bytes[trip[$2, $3]] += $6 - before; \
    before = $6; \
} \
function corner(x, y, words) { printf "%f\t%f%s\n", x, y, words } \
function arrow(k, w, from, to, words) { \
    neck = from + 0.8 * (to - from); \
    corner(k - w, from, "\t" words "\t" k); \
    corner(k - w, neck); \
    corner(k - w - 0.06, neck); \
    corner(k, to); \
    corner(k + w + 0.06, neck); \
    corner(k + w, neck); \
    corner(k + w, from); \
    print ""; \
} \
END { \
    for (k = 1; k <= n; k++) \
        if (way[k] == "'.way.'") \
            arrow(k, bytes[k] / 700e3, way[k] == "written", way[k] == "read", \
                sprintf("%s %.0f kB", name[k], bytes[k] / 1000)); \
}')
set xrange [0.4:8.6]
set yrange [-0.35:1.5]
set object 1 rectangle from 0.4,1.02 to 8.6,1.24 fc rgb '#dceaf4' \
    fs solid noborder
set object 2 rectangle from 0.4,-0.24 to 8.6,-0.02 fc rgb '#eeeeee' \
    fs solid noborder
set label 1 'on chip' at 0.5,1.13
set label 2 'memory' at 0.5,-0.13
set label 3 '251 queries and keys, d = 32: head 0 of the bundled layer, \
counted while the program ran' at 4.5,-0.36 center font ',12'
plot trips('read') using 1:2 with filledcurves closed fc rgb BLUE, \
     trips('written') using 1:2 with filledcurves closed fc rgb '#D55E00', \
     trips('read') using 4:(1.33):3 with labels tc rgb BLUE, \
     trips('written') using 4:(1.33):3 with labels tc rgb '#D55E00'
