# tools/normal_form.awk: prints a kernel's lines of algorithm, for the comparison of two
# steps. It removes comments, blank lines, lone braces, declarations, first values,
# loads and stores. The step's name becomes STEP, and a statement of several lines one
# line.
#
# awk -v step=online_softmax -f tools/normal_form.awk KERNEL

BEGIN {
    name = "[A-Za-z_][A-Za-z_0-9]*"
    declaration = "^((const|static|unsigned|struct|enum) )*" name \
        " [*]*" name "(\\[[^]]*\\])*( =.*|,.*|;)$"
}

# Comments, also those of several lines.
in_comment { in_comment = !sub(/^.*\*\//, "") }
in_comment { next }
{ gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "") }
sub(/\/\*.*/, "") { in_comment = 1 }

{
    sub(/\/\/.*/, "")
    gsub(/[ \t]+/, " ")
    gsub(/^ | $/, "")
    if ($0 == "")
        next
    line = line (line == "" ? "" : " ") $0
    copy = line
    if (gsub(/\(/, "", copy) > gsub(/\)/, "", copy) || line ~ /[=,+*\/&|?-]$/)
        next                    # continues on the next line
    $0 = line
    line = ""
}

/^[{}; ]+$/ { next }            # lone braces
{ sub(/ ?[{]$/, ""); sub(/^[}] /, "") }

# Declarations: words of a type, stars, a name. (`return x;` is none.)
!/^(return|else|goto|break|continue|case) ?/ && $0 ~ declaration { next }

# First values: = 0, = -INFINITY; fill(O, 0); and the loads and stores of tiles.
/^[A-Za-z_][^=(]* = -?(0|0\.0f?|INFINITY|NULL|[{]0[}]);$/ { next }
/^((fill|load|store)[a-z_]*|memset)\(/ { next }

# Only as a whole word, not as part of another step's name.
{
    text = " " $0 " "
    while (match(text, "[^A-Za-z0-9_]" step "[^A-Za-z0-9_]"))
        text = substr(text, 1, RSTART) "STEP" substr(text, RSTART + RLENGTH - 1)
    print text
}
