# tools/normal_form.awk: prints a kernel's lines of algorithm, so that two steps can be
# compared. It removes comments, blank lines, lone braces, declarations, initial values,
# loads and stores. It replaces the step's name by STEP, and joins the lines of each
# statement.
#
# awk -v step=online_softmax -f tools/normal_form.awk KERNEL

BEGIN {
    name = "[A-Za-z_][A-Za-z_0-9]*"
    declaration = "^((const|static|unsigned|struct|enum) )*" name \
        " [*]*" name "(\\[[^]]*\\])*( =.*|,.*|;)$"
}

# Removes comments, also those of several lines.
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
        next                    # the statement continues on the next line
    $0 = line
    line = ""
}

/^[{}; ]+$/ { next }            # removes lone braces
{ sub(/ ?[{]$/, ""); sub(/^[}] /, "") }

# Removes declarations: words of a type, stars, a name. `return x;` is no declaration.
!/^(return|else|goto|break|continue|case) ?/ && $0 ~ declaration { next }

# Removes initial values (= 0, = -INFINITY, fill(O, 0)), and loads and stores of tiles.
/^[A-Za-z_][^=(]* = -?(0|0\.0f?|INFINITY|NULL|[{]0[}]);$/ { next }
/^((fill|load|store)[a-z_]*|memset)\(/ { next }

# Replaces the step's name where it is a whole word, but not inside another step's name.
{
    text = " " $0 " "
    while (match(text, "[^A-Za-z0-9_]" step "[^A-Za-z0-9_]"))
        text = substr(text, 1, RSTART) "STEP" substr(text, RSTART + RLENGTH - 1)
    print text
}
