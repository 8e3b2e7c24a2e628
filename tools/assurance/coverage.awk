# gcov -t -b ... | coverage.awk: the lines and branches that no test reached, and
# how many did. A function in a header is compiled into many objects: a branch
# of it is taken if it is in one of them, and counted once. Those of unreached.tsv
# have a reason there. Exit 1 if others are missed, or 1% or more have one.
BEGIN {
    FS = "\t"
    while ((getline <"docs/results/unreached.tsv") > 0)
        reason[$1 "\t" $2] = $3
}
{ split($0, part, ":") }
part[3] == "Source" {
    of = substr($0, index($0, "Source:") + 7)
    in_one = 0 # of the objects, not in all of them together
}
/^-----/ { in_one = 1 }
of !~ /^(0[1-6]|common\/)/ { next }
/^branch/ {
    split($0, word, " ") # numbers are those of branches and calls
    branch = at "\t" word[2] + 0
    if (in_one && !seen_in_one[at]) { # instead of those of all together
        seen_in_one[at] = 1
        for (b = 0; b <= last[at]; b++)
            delete taken[at "\t" b]
    }
    if (!(branch in taken))
        taken[branch] = 0
    if (!/never executed|taken 0%/)
        taken[branch] = 1
    if (word[2] > last[at])
        last[at] = word[2] + 0
    next
}
part[2] + 0 > 0 && !/^ *-:/ {
    at = of "\t" part[2] + 0
    if (!(at in text)) {
        order[n++] = at
        text[at] = $0
        sub(/^[^:]*:[^:]*: */, "", text[at])
    }
    if (part[1] !~ /#####/)
        reached[at] = 1
}
function missed(what, count,    name) {
    split(at, part, "\t")
    all[what] += count
    name = part[1] "\t" text[at]
    if (name in reason)
        named[what] += count
    else
        print part[1] ":" part[2] ": " what ": " text[at]
    used[name] = 1
}
END {
    for (k = 0; k < n; k++) {
        at = order[k]
        if (!reached[at])
            missed("line", 1)
        count = 0
        for (b = 0; b <= last[at]; b++)
            if ((at "\t" b) in taken) {
                branches++
                count += !taken[at "\t" b]
            }
        if (count)
            missed("branch", count)
    }
    for (name in reason)
        if (!used[name] && ++stale)
            print name ": is reached, or gone"
    printf "%d of %d lines, %d of %d branches; with a reason %d and %d\n",
        n - all["line"], n, branches - all["branch"], branches,
        named["line"], named["branch"]
    bad = all["line"] - named["line"] + all["branch"] - named["branch"] + stale
    bad += named["line"] > n / 100 || named["branch"] > branches / 100
    exit !n || bad > 0
}
