# gcov -t -b ... | coverage.awk: lines and branches that no test reached, and how
# many did. A branch that is never come to counts as one that is not taken.
{ split($0, part, ":") }
part[3] == "Source" { of = substr($0, index($0, "Source:") + 7) }
of ~ /^(0[1-6]|common\/)/ && !/^ *-:/ {
    if (/^branch/) {
        branches++
        if (/never executed|taken 0%/) {
            missed_branches++
            print of ":" line ": branch: " text
        }
    } else if (part[2] + 0 > 0) {
        line = part[2] + 0
        text = $0
        sub(/^[^:]*:[^:]*: */, "", text)
        lines++
        if (part[1] ~ /#####/) {
            missed_lines++
            print of ":" line ": line: " text
        }
    }
}
END {
    printf "%d of %d lines, %d of %d branches\n", lines - missed_lines, lines,
        branches - missed_branches, branches
    exit !lines
}
