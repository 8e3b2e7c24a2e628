# remote.awk: of an exercise's header and its remote.txt, the C of remote.h. In
# remote.txt a line for each function that is asked for says what goes over, in
# that order, and what comes back besides what the function returns:
#
#     merge_splits: O L[O.rows] o[O.cols] => o
#
# A value or a matrix is named, an array has its size with it. What a function may
# ask the tests stands before it, with how many elements are behind a pointer:
#
#     asks: const float *value(size_t j)[dv]
#
# -v cuda=1: the function launches a kernel (07_cuda/exercise/remote_cuda.h).
# The lines `points: 20`, `the skeleton holds: CLAIM` and `counted inside the
# worker: CLAIM` are for kit.sh.

BEGIN { nth = questions = 0 }

function stop(why) {
    print ARGV[2] ": " why >"/dev/stderr"
    exit failed = 1
}

# A head and the memory that it is run in are the same for all kernels.
function items_of(text) {
    gsub(/KERNEL/, "*h h->Q.hbm h->K.hbm h->V.hbm h->rule.mask.hbm h->O.hbm " \
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

# What is asked, the kth: sets asked (its name), answer (its type), of (its
# argument's), count (elements of the answer, or nothing).
function question(k) {
    match(asks[k], /[a-z_]+\(/)
    asked = substr(asks[k], RSTART, RLENGTH - 1)
    answer = substr(asks[k], 1, RSTART - 1)
    of = substr(asks[k], RSTART + RLENGTH)
    count = of
    if (!sub(/.*\[/, "", count))
        count = ""
    sub(/\].*/, "", count)
    sub(/\).*/, "", of)
    sub(/ [a-z]+$/, "", of)
}

# The judge's loop, until no question comes any more.
function answers(    k, all) {
    for (k = 0; k < questions; k++) {
        question(k)
        all = all "        if (nth == " k ") {\n            " of " x;\n" \
            "            " answer "y;\n\n            HEAR(x);\n" \
            "            y = " asked "(x);\n            " \
            (count ? "say(y, (" count ") * sizeof *y)" : "SAY(y)") ";\n" \
            "        }\n"
    }
    return "    for (bool asked = exchange(); asked; asked = reply()) {\n" \
        "        int nth;\n\n        HEAR(nth);\n" all "    }\n"
}

# What the submission asks instead of the tests, and what that has to know.
function askers(    k, all, size) {
    for (k = 0; k < questions; k++) {
        question(k)
        size = asked "_size"
        if (count) {
            all = all "static size_t " size ";\n"
            counts = counts "    " size " = " count ";\n"
        }
        all = all "static " answer "ask_" asked "(" of " x)\n{\n    int nth = " \
            k ";\n" (count ? "    static " : "    ") answer "y;\n\n" \
            "    SAY(nth);\n    SAY(x);\n    question();\n" \
            (count ? "    free((void *)y);\n    y = malloc(" size \
                " * sizeof *y);\n    hear((void *)y, " size " * sizeof *y);\n" \
                : "    HEAR(y);\n") "    return y;\n}\n\n"
    }
    return all
}

# Whether an argument is what is asked: then sets asked.
function is_asked(argument,    k) {
    for (k = 0; k < questions; k++) {
        question(k)
        if (argument ~ "[ *]" asked " *(\\)|$)")
            return 1
    }
    return 0
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
    counts = ""
    for (k = 1; k <= n; k++) {
        if (is_asked(a[k])) {
            names = names (k > 1 ? ", " : "") "ask_" asked
            continue
        }
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
        "%s%s%s%s}\n", type, name, arguments, result, nth,
        lines_of(there, "OVER"), questions ? answers() : "    exchange();\n",
        cuda ? "    cuda_answers();\n" : "",
        lines_of(back, "BACK"), is ? "    return result;\n" : ""
    printf "#else\n%sstatic void serve_%d(void)\n{\n%s%s\n%s%s%s    %s%s(%s);\n" \
        "%s%s}\n#endif\n", askers(), nth, here, result, lines_of(there, "OVER"),
        counts,
        cuda ? "    cuda_on_cpu_print_findings(0);\n" : "", is, name, names,
        cuda ? "    cuda_answers();\n" : "", lines_of(back, "BACK")
    cases = cases "    case " nth ":\n        serve_" nth "();\n        break;\n"
    nth++
    questions = 0
}

# The header, without comments and directives, in one line.
FNR == NR {
    if (FNR == 1) {
        n = split(FILENAME, path, "/")
        print "#include \"" path[n] "\"\n#include <stdlib.h>\n" \
            "#include \"tools/grade/remote.h\""
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

/^asks: / { asks[questions++] = substr($0, 7); next }
/^(points|the skeleton holds|counted inside the worker): / { next }
/^[a-z_A-Z0-9]+: / { name = $1; sub(/:$/, "", name); write(name, substr($0, index($0, ":") + 1)) }
END {
    if (failed || !nth)
        exit 1
    print "\n#ifndef JUDGE\nvoid serve(void)\n{\n    int nth;\n\n" \
        "    OVER(nth);\n    switch (nth) {\n" cases "    }\n}\n#endif"
}
