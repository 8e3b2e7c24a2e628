# remote.awk: of an exercise's header and its remote.txt, the C of remote.h. In
# remote.txt a line for each function that is asked for says what goes over, in
# that order, and what comes back besides what the function returns:
#
#     merge_splits: O L[O.rows] o[O.cols] => o
#
# A value or a matrix is named, an array has its size with it. -v cuda=1: the
# function launches a kernel (07_cuda/exercise/remote_cuda.h).
# The lines `points: 20`, `the skeleton holds: CLAIM` and `counted inside the
# worker: CLAIM` are for kit.sh.

BEGIN { nth = 0 }

function stop(why) {
    print ARGV[2] ": " why >"/dev/stderr"
    exit failed = 1
}

# A head and the memory that it is run in are the same for all kernels.
function items_of(text) {
    gsub(/KERNEL/, "*h h->Q.hbm h->K.hbm h->V.hbm h->mask.hbm h->O.hbm " \
        "h->L.hbm mem->M => mem->error mem->message mem->counts " \
        "mem->on_chip mem->extra h->O.hbm h->L.hbm", text)
    return text
}

# The lines for the items of a list, of which an array may have blanks.
function lines_of(list, what,    all, item) {
    while (match(list, /[^ [\]]+(\[[^\]]*\])?/)) {
        item = substr(list, RSTART, RLENGTH)
        list = substr(list, RSTART + RLENGTH)
        if (sub(/\[/, ", ", item))
            sub(/\]$/, "", item)
        all = all "    " what (item ~ /, / ? "_ALL(" : "(") item ");\n"
    }
    return all
}

# What the function NAME is, in the header: sets type, arguments.
function find(name,    n, k, statement) {
    n = split(header, statement, ";")
    for (k = 1; k <= n; k++)
        if (match(statement[k], "[ *]" name "\\(")) {
            type = substr(statement[k], 1, RSTART)
            sub(/.*[{}]/, "", type)
            arguments = substr(statement[k], RSTART + RLENGTH)
            sub(/\)[^)]*$/, "", arguments)
            return
        }
    stop("the header has no function " name)
}

# One function: for the judge, and as the nth that the worker serves.
function write(name, items,    n, k, a, arg, both, there, back, names, here) {
    find(name)
    both = items_of(items)
    there = both
    sub(/ *=>.*/, "", there)
    back = both ~ /=>/ ? substr(both, index(both, "=>") + 2) : ""
    if (type !~ /^ *void *$/) {
        result = "    " type " result;\n"
        back = back " result"
        is = "result = "
    } else {
        result = is = ""
    }
    n = split(arguments, a, ",")
    for (k = 1; k <= n; k++) {
        match(a[k], /[A-Za-z_0-9]+ *$/)
        arg = substr(a[k], RSTART)
        names = names (k > 1 ? ", " : "") arg
        if (!match(" " there, "[ *]" arg "([ [-]|$)"))
            stop(name ": does " arg " not go over?")
        if (index(" " there, " " arg "->") || index(" " there, " *" arg)) {
            sub(/const /, "", a[k])
            sub(/ *\*.*/, "", a[k])
            here = here "    " a[k] " " arg "_here = {0}, *" arg " = &" arg \
                "_here;\n"
        } else {
            here = here "    " a[k] ";\n"
        }
    }
    printf "\n#ifdef JUDGE\n%s%s(%s)\n{\n%s\n    call(%d);\n%s" \
        "    exchange();\n%s%s%s}\n", type, name, arguments, result, nth,
        lines_of(there, "OVER"), cuda ? "    cuda_answers();\n" : "",
        lines_of(back, "BACK"), is ? "    return result;\n" : ""
    printf "#else\nstatic void serve_%d(void)\n{\n%s%s\n%s%s    %s%s(%s);\n" \
        "%s%s}\n#endif\n", nth, here, result, lines_of(there, "OVER"),
        cuda ? "    cuda_on_cpu_print_findings(0);\n" : "", is, name, names,
        cuda ? "    cuda_answers();\n" : "", lines_of(back, "BACK")
    cases = cases "    case " nth ":\n        serve_" nth "();\n        break;\n"
    nth++
}

# The header, without comments and directives, in one line.
FNR == NR {
    if (FNR == 1) {
        n = split(FILENAME, path, "/")
        print "#include \"" path[n] "\"\n#include \"tools/grade/remote.h\""
        if (cuda)
            print "#include \"07_cuda/exercise/remote_cuda.h\""
    }
    gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "")
    if (sub(/\/\*.*/, ""))
        comment = 1
    else if (comment && sub(/.*\*\//, ""))
        comment = 0
    else if (comment || /^#/)
        next
    header = header " " $0
    gsub(/ +/, " ", header)
    next
}

/^(points|the skeleton holds|counted inside the worker): / { next }
/^[a-z_A-Z0-9]+: / { name = $1; sub(/:$/, "", name); write(name, substr($0, index($0, ":") + 1)) }
END {
    if (failed || !nth)
        exit 1
    print "\n#ifndef JUDGE\nvoid serve(void)\n{\n    int nth;\n\n" \
        "    OVER(nth);\n    switch (nth) {\n" cases "    }\n}\n#endif"
}
