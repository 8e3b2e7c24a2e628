# A kernel reduced to the lines that count when two steps are compared: what
# is left is its algorithm. Left out: comments, blank lines, lone braces,
# declarations, first values, loads and stores. The step's own name becomes
# STEP, and a statement that was broken over lines is one line again.
#
# awk -v step=online_softmax -f tools/normal_form.awk KERNEL

BEGIN {
    name = "[A-Za-z_][A-Za-z_0-9]*"
    declaration = "^((const|static|unsigned|struct|enum) )*" name \
        " [*]*" name "(\\[[^]]*\\])*( =.*|,.*|;)$"
}

# Comments go, also those of several lines.
{
    while (1) {
        if (in_comment) {
            end = index($0, "*/")
            if (!end) { $0 = ""; break }
            $0 = substr($0, end + 2)
            in_comment = 0
        }
        start = index($0, "/*")
        if (!start)
            break
        before = before substr($0, 1, start - 1)
        $0 = substr($0, start + 2)
        in_comment = 1
    }
    sub(/\/\/.*/, "")
    line = before $0
    before = ""
}

{
    gsub(/[ \t]+/, " ", line)
    sub(/^ /, "", line)
    sub(/ $/, "", line)
    if (line == "")
        next
    statement = statement (statement == "" ? "" : " ") line
    copy = statement
    if (gsub(/\(/, "", copy) > gsub(/\)/, "", copy) ||
        statement ~ /[=,+*\/&|?-]$/)
        next                    # goes on in the next line
    line = statement
    statement = ""
}

# Lone braces.
line ~ /^[{}; ]+$/ { next }
{ sub(/ ?[{]$/, "", line); sub(/^[}] /, "", line) }

# Declarations: words that make a type, stars, a name. (`return x;` is none.)
line !~ /^(return|else|goto|break|continue|case) ?/ && line ~ declaration {
    next
}

# First values: = 0, = -INFINITY; fill(O, 0).
line ~ /^[A-Za-z_][^=(]* = -?(0|0\.0f?|INFINITY|NULL|[{]0[}]);$/ { next }
line ~ /^(fill[a-z_]*|memset)\(/ { next }

# Loads and stores of tiles.
line ~ /^(load|store)[a-z_]*\(/ { next }

# As a whole word, and not as part of another step's name.
{
    rest = line
    line = ""
    while (i = index(rest, step)) {
        left = substr(rest, i - 1, i > 1)
        right = substr(rest, i + length(step), 1)
        whole = left !~ /[A-Za-z0-9_]/ && right !~ /[A-Za-z0-9_]/
        line = line substr(rest, 1, i - 1) (whole ? "STEP" : step)
        rest = substr(rest, i + length(step))
    }
    print line rest
}
